"""Trees of one dialect as trees of another: what each dialect can hold, and how a level it lacks is expressed."""
