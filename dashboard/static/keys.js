// @ts-check
// Keys that work on every page: j and k move along the rows of a table, / goes to the search.
