/* The options of `brio run`: what each is called and which variable carries it to the interpreter. */
#ifndef BRIO_CLI_OPTIONS_H
#define BRIO_CLI_OPTIONS_H

typedef enum brio_cli_arity {
    BRIO_CLI_FLAG,  /* --report */
    BRIO_CLI_VALUE, /* --results exact, --results=exact */
    BRIO_CLI_MAYBE, /* --verify, --verify=0.1 */
} brio_cli_arity;

typedef struct brio_cli_option {
    const char *name;
    brio_cli_arity arity;
    const char *variable; /* the environment variable that is set; NULL: the command itself uses it */
    const char *choices;  /* "exact|close", or NULL: any value */
    const char *value;    /* shown in the help */
    const char *help;
} brio_cli_option;

/* What is left of the command line once its options are read. */
typedef struct brio_cli_run {
    const char *python; /* --python, or NULL */
    const char **flags; /* interpreter flags of --python-flag and -i, in order */
    int nflags;
    int verbose;
    char **target; /* script and its arguments, or -m mod ..., -c code ..., - ... */
    int ntarget;
} brio_cli_run;

/* Ends with an entry whose name is NULL. */
extern const brio_cli_option brio_cli_options[];

/* Reads argv up to the target, putting options into the environment. `run->flags` must have room for
 * argc pointers. Returns 0, or -1 after writing what is wrong to `problem`. */
int brio_cli_parse(int argc, char **argv, brio_cli_run *run, char *problem, unsigned long size);

#endif
