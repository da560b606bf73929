"""Do no harm: what Brio costs where it cannot help."""
