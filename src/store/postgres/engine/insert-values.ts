/**
 * Rewrites inserts for Citus, which runs `INSERT ... SELECT ... FROM unnest(...)` through files on its workers and over a new connection
 * for each shard. Rows in VALUES go directly to their shards, over one connection per worker (docs/decisions/0026).
 */
import type { Statement } from '../../shared/sql.ts';
import { elementsOf } from './binary-arrays.ts';

interface Insert {
  readonly into: string;
  /** The position of the parameter of each list, counted from 0. */
  readonly lists: readonly number[];
  /** For each column its list and type, or an expression for all rows. */
  readonly columns: readonly (string | { readonly list: number; readonly type: string })[];
  readonly isOrdered: boolean;
  readonly ending: string;
}

/** The clauses after the lists have no parameters. */
const INSERT_OF_LISTS =
  /^\s*(INSERT INTO [^$]*?)\s+SELECT (.*?)\s+FROM unnest\(([^)]*)\)\s+AS i \(([^)]*)\)\s*(ORDER BY (?!.*\bDESC\b)[\w, ]*?)?\s*((?:ON CONFLICT|RETURNING)[^$]*)?$/s;
/** A parameter or a number. */
const FOR_ALL = /^(?:\$\d+::\w+|\d+)$/;
/** The protocol counts parameters in 16 bits. */
const PARAMETERS_MAX = 65_535;

const inserts = new Map<string, Insert | undefined>();

/** Returns undefined if the statement does not insert lists, or if they are empty or too long. */
export function withValues(
  { name, text }: Statement,
  values: readonly unknown[],
): { readonly text: string; readonly values: readonly unknown[] } | undefined {
  if (!inserts.has(name)) inserts.set(name, insertIn(text));
  const insert = inserts.get(name);
  if (insert === undefined) return undefined;
  const sent: unknown[] = [];
  const send = (value: unknown): string => `$${sent.push(value)}`;
  const columns = insert.columns.map((column) =>
    typeof column === 'string' ? column.replaceAll(/\$(\d+)/g, (_, index) => send(values[index - 1])) : column,
  );
  const rows = rowsOf(insert, values);
  const texts = rows.map((row) => {
    const items = columns.map((column) =>
      typeof column === 'string' ? column : `${send(row[column.list])}::${column.type}`,
    );
    return `(${items.join(', ')})`;
  });
  if (rows.length === 0 || sent.length > PARAMETERS_MAX) return undefined;
  return { text: `${insert.into} VALUES ${texts.join(', ')} ${insert.ending}`, values: sent };
}

function insertIn(text: string): Insert | undefined {
  const [, into, selected, lists, names, order, ending = ''] = INSERT_OF_LISTS.exec(text) ?? [];
  if (into === undefined || selected === undefined || lists === undefined || names === undefined) return undefined;
  const parameters = Array.from(lists.matchAll(/\$(\d+)::(\w+)\[\]/g), ([, index, type = '']) => {
    return { index: Number(index) - 1, type };
  });
  const listOf = new Map(names.split(', ').map((name, list) => [name, list]));
  if (parameters.length !== listOf.size) return undefined;
  const columns = selected.split(/,\s+/).map((column) => {
    const list = listOf.get(column.replace('i.', ''));
    return list === undefined ? column : { list, type: parameters[list]?.type ?? '' };
  });
  if (columns.some((column) => typeof column === 'string' && !FOR_ALL.test(column))) return undefined;
  return { into, lists: parameters.map(({ index }) => index), columns, isOrdered: order !== undefined, ending };
}

/** Returns the rows in one order for all transactions, if the statement orders them, so that they do not deadlock. */
function rowsOf({ lists, isOrdered }: Insert, values: readonly unknown[]): readonly (readonly unknown[])[] {
  const elements = lists.map((index) => elementsOf(values[index] as Buffer | readonly unknown[]));
  const rows = (elements[0] ?? []).map((_, row) => elements.map((list) => list[row]));
  if (!isOrdered) return rows;
  const keyed = rows.map((row) => [row.join(), row] as const).sort(([one], [other]) => (one < other ? -1 : 1));
  return keyed.map(([, row]) => row);
}
