/** In charge of statements that are put together from parts: each part says which values it takes, and under which type. */
import { type Statement, statement } from '../../shared/sql.ts';

/** A statement with the names of its values, in their order. */
export interface NamedStatement<Name extends string, Row extends readonly unknown[]> {
  readonly statement: Statement<Row>;
  readonly names: readonly Name[];
}

/** What stands for the value in the text. */
export type Parameter<Name extends string> = (name: Name) => string;

export function namedStatement<Name extends string, Row extends readonly unknown[]>(
  title: string,
  types: Readonly<Record<Name, string>>,
  write: (parameter: Parameter<Name>) => string,
): NamedStatement<Name, Row> {
  const names: Name[] = [];
  const text = write((name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${types[name]}`;
  });
  return { statement: statement<Row>(title, text), names };
}

export function valuesOf<Name extends string>(
  { names }: NamedStatement<Name, readonly unknown[]>,
  values: Readonly<Record<Name, unknown>>,
): readonly unknown[] {
  return names.map((name) => values[name]);
}
