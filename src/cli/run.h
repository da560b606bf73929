/* `brio run`: hands the script to the interpreter with the acceleration switched on. */
#ifndef BRIO_CLI_RUN_H
#define BRIO_CLI_RUN_H

/* `argv` begins after the word "run". Returns only on failure, with the exit code. */
int brio_cli_run_main(int argc, char **argv);

#endif
