/**
 * In charge of the texts of SQL: each has a name, under which a connection prepares it once, and all of them are
 * listed, so that a test can hold every text to the rules of a distributed database.
 */

/** `Row` is what a row of it holds, in the order of its columns. */
export interface Statement<Row extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** Only for the compiler, which would forget the type of a row that stands nowhere. */
  readonly row?: Row;
}

const listed = new Map<string, Statement>();

/** Filled as the modules that hold statements are loaded. */
export const STATEMENTS: ReadonlyMap<string, Statement> = listed;

export function statement<Row extends readonly unknown[] = never>(name: string, text: string): Statement<Row> {
  if (listed.has(name)) throw new Error(`Two statements have the name ${name}.`);
  const made: Statement<Row> = Object.freeze({ name, text });
  listed.set(name, made);
  return made;
}
