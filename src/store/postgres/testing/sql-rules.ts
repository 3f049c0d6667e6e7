/**
 * Checks the rules that SQL must keep to run on Citus: constructs that Citus refuses, or would run on every node instead of one.
 * Tests on plain PostgreSQL cannot find these faults.
 */
import { callsIn, clause, innerQueries, isQuery, type Part, queriesOf, split, statementsOf } from './sql-text.ts';

/** Where each table is stored. */
export interface Places {
  /**
   * Distribution column of each table. With `account_id`, a statement stays within one account. With another column, statements use
   * only that key, one or several of them, and no other table.
   */
  readonly distributed: ReadonlyMap<string, string>;
  readonly reference: readonly string[];
  readonly plain: readonly string[];
}

/** Functions that PostgreSQL declares immutable: the result does not depend on settings of a node. */
export const IMMUTABLE_FUNCTIONS: readonly string[] = Object.freeze(['replace']);
/** Includes language constructs that look like calls. */
const HARMLESS_CALLS = [...IMMUTABLE_FUNCTIONS, 'greatest', 'least', 'coalesce', 'nullif'];
const CLOCK_WORDS = ['current_timestamp', 'current_time', 'current_date', 'localtime', 'localtimestamp'];
const LOCKING = ['update', 'share', 'no', 'key'];
/** Words that may follow a table without being its alias. */
const CLAUSE_WORDS =
  'as where join left right full inner cross on set using values select order group limit for returning natural'.split(
    ' ',
  );
const PARAMETER = /^\$\d+$/;
const ACCOUNT = 'account_id';

/** Returns the rule violations in a text. */
export function faultsOf(text: string, places: Places): string[] {
  return statementsOf(text).flatMap((parts) => [
    ...definitionFaults(parts, places),
    ...queriesOf(parts).flatMap((query) => queryFaults(query, places)),
    ...parts
      .flatMap((part) => (Array.isArray(part) ? innerQueries(part) : []))
      .flatMap((query) => [...innerLockFaults(query), ...innerInsertFaults(query, places)]),
    ...mixFaults(parts, places),
    ...wakeUpFaults(parts),
  ]);
}

function queryFaults(query: readonly Part[], places: Places): string[] {
  const [kind] = query;
  if (!['select', 'insert', 'update', 'delete', 'merge', 'with'].includes(kind as string)) return [];
  const faults: string[] = [];
  const target = targetOf(query);
  const column = target === undefined ? undefined : places.distributed.get(target);
  const isDistributed = column !== undefined;
  const isSpread = isDistributed || (target !== undefined && places.reference.includes(target));

  const upsert = clause(query, ['do', 'update', 'set'], ['where', 'returning']);
  if (upsert !== undefined && isSpread) faults.push(...changeFaults(upsert, [], 'DO UPDATE SET'));
  if (kind === 'update' && isDistributed) {
    const change = clause(query, ['set'], ['from', 'where', 'returning']) ?? [];
    faults.push(...changeFaults(change, HARMLESS_CALLS, 'SET'));
    const columns = split(change, ',').map(([column]) => column);
    if (columns.includes(column)) faults.push(`changes ${column}, by which rows are distributed`);
  }
  if (kind === 'insert' && isDistributed) faults.push(...insertFaults(query, target as string, column, places));
  else faults.push(...accountFaults(query, places), ...keyedFaults(query, places));

  if (locksRows(query) && equalities(query, ACCOUNT).length === 0) faults.push('locks rows without account_id = $n');
  return faults;
}

function locksRows(query: readonly Part[]): boolean {
  return query.some((part, place) => part === 'for' && LOCKING.includes(query[place + 1] as string));
}

/** Citus fails with "missing data for column" if a subquery locks rows that it joins with a list. */
function innerLockFaults(query: readonly Part[]): string[] {
  return locksRows(query) && query.includes('unnest') ? ['locks rows in a sub-query that joins unnest; use = ANY'] : [];
}

/** Citus would pass the rows to all workers, and fail while one of them is absent. */
function innerInsertFaults(query: readonly Part[], { distributed }: Places): string[] {
  const target = query[0] === 'insert' ? targetOf(query) : undefined;
  return target !== undefined && distributed.has(target) ? [`inserts into ${target} within a WITH`] : [];
}

/** Returns the table that the query writes to. */
function targetOf(query: readonly Part[]): string | undefined {
  const [kind, second, third] = query;
  const target = kind === 'update' ? second : second === 'into' || second === 'from' ? third : undefined;
  return typeof target === 'string' && kind !== 'select' ? target : undefined;
}

function changeFaults(change: readonly Part[], allowed: readonly string[], where: string): string[] {
  const calls = callsIn(change).filter((name) => !allowed.includes(name));
  const clocks = words(change).filter((word) => CLOCK_WORDS.includes(word));
  return [...calls, ...clocks].map((name) => `has ${name} in ${where}`);
}

function insertFaults(query: readonly Part[], table: string, column: string, places: Places): string[] {
  const columns = query[3];
  if (!Array.isArray(columns)) return [`inserts into ${table} without naming the columns`];
  const place = split(columns, ',').findIndex(([name]) => name === column);
  const values = query.indexOf('values');
  const rows =
    values === -1
      ? [clause(query, ['select'], ['from', 'on', 'returning']) ?? []]
      : query.slice(values + 1, endOfRows(query, values)).filter((part) => Array.isArray(part));
  const faults: string[] = [];
  for (const row of rows) {
    const [value, cast, name] = split(row, ',')[place] ?? [];
    const isParameter = PARAMETER.test(String(value)) && (cast === undefined || cast === '::');
    const readsAccount = cast === '.' && name === ACCOUNT && isRowsOfAccount(query, String(value), places);
    // Rows of one account go to one node; rows with other keys may go to several.
    if (!isParameter && !readsAccount && column === ACCOUNT) {
      faults.push(`inserts into ${table} without a parameter as ${column}`);
    }
    if (place === -1 && column !== ACCOUNT) faults.push(`inserts into ${table} without ${column}`);
    const calls = callsIn(row).filter((name) => !HARMLESS_CALLS.includes(name));
    faults.push(...calls.map((name) => `has ${name} among the values of ${table}`));
  }
  const conflict = clause(query, ['on', 'conflict'], ['do']);
  const [target] = conflict ?? [];
  if (conflict !== undefined && !(Array.isArray(target) && target[0] === column)) {
    faults.push(`has a conflict target that ${column} does not lead`);
  }
  return faults;
}

/** Whether the alias names a subquery, which is checked separately, or a table bound to one account. */
function isRowsOfAccount(query: readonly Part[], alias: string, places: Places): boolean {
  const read = query.slice(query.indexOf('select'));
  const isInner = read.some((part, place) => Array.isArray(part) && isQuery(part) && read[place + 1] === alias);
  const tables = references(read, [...places.distributed.keys()]);
  return isInner || (tables.some((table) => table.alias === alias) && accountFaults(read, places).length === 0);
}

function endOfRows(query: readonly Part[], values: number): number {
  const end = query.findIndex((part, place) => place > values && (part === 'on' || part === 'returning'));
  return end === -1 ? query.length : end;
}

/** Every table with `account_id` must be bound to the same account, by a condition that always holds. */
function accountFaults(query: readonly Part[], places: Places): string[] {
  const tables = references(
    query,
    tablesBy(places, (column) => column === ACCOUNT),
  );
  const reachesNoRow = query.at(-2) === 'where' && query.at(-1) === 'false';
  if (tables.length === 0 || reachesNoRow) return [];
  const found = equalities(query, ACCOUNT);
  const faults = tables
    .filter(({ alias }) => !found.some(({ of }) => of === alias || (of === undefined && isAlone(query))))
    .map(({ table, alias }) => `reaches ${table}${alias === table ? '' : ` ${alias}`} without account_id = $n`);
  if (new Set(found.map(({ parameter }) => parameter)).size > 1) faults.push('joins rows of different accounts');
  if (query.includes('or')) faults.push('has an OR next to account_id = $n; put it in parentheses');
  for (const { table } of references(query, places.plain)) {
    faults.push(`joins the plain table ${table} with a distributed one`);
  }
  return faults;
}

/** A table with another distribution column is found by that column, and is the only table of its query. */
function keyedFaults(query: readonly Part[], places: Places): string[] {
  const keyed = tablesBy(places, (column) => column !== ACCOUNT);
  const tables = references(query, keyed);
  const [first] = tables;
  if (first === undefined) return [];
  const { table, alias } = first;
  const column = places.distributed.get(table) as string;
  const found = [...equalities(query, column), ...choices(query, column)];
  const faults: string[] = [];
  if (!found.some(({ of }) => of === alias || (of === undefined && isAlone(query)))) {
    faults.push(`reaches ${table} without ${column} = $n or = ANY ($n)`);
  }
  if (query.includes('or')) faults.push(`has an OR next to ${column}; put it in parentheses`);
  const others = [...places.distributed.keys(), ...places.reference, ...places.plain];
  if (references(query, others).length > 1) faults.push(`has another table besides ${table}`);
  return faults;
}

function tablesBy({ distributed }: Places, wanted: (column: string) => boolean): string[] {
  return [...distributed].filter(([, column]) => wanted(column)).map(([table]) => table);
}

/** Whether an unqualified column can belong to only one table. */
function isAlone(query: readonly Part[]): boolean {
  return !query.includes('join') && !(query[0] === 'update' && query.includes('from')) && !query.includes('using');
}

function references(query: readonly Part[], tables: readonly string[]): { table: string; alias: string }[] {
  return query.flatMap((part, place) => {
    if (typeof part !== 'string' || !tables.includes(part)) return [];
    const [before, after, behind] = [query[place - 1], query[place + 1], query[place + 2]];
    // A column of the table, or FOR UPDATE OF.
    if (after === '.' || before === '.' || before === 'of') return [];
    const next = after === 'as' ? behind : after;
    const isAlias = typeof next === 'string' && /^[\p{L}_]/u.test(next) && !CLAUSE_WORDS.includes(next);
    return [{ table: part, alias: isAlias ? next : part }];
  });
}

interface Condition {
  readonly of: string | undefined;
  readonly parameter: string;
}

/** Finds `column = $n` where it must hold for every row: after WHERE, AND or ON, and outside parentheses. */
function equalities(query: readonly Part[], column: string): Condition[] {
  return conditions(query, column, (value, next) => {
    return PARAMETER.test(String(value)) && !/^[-+*/|<>=%.]/.test(String(next ?? '')) ? String(value) : undefined;
  });
}

/** Finds `column = ANY ($n)` in the same places. */
function choices(query: readonly Part[], column: string): Condition[] {
  return conditions(query, column, (value, next) => {
    const [parameter] = Array.isArray(next) ? next : [];
    return value === 'any' && PARAMETER.test(String(parameter)) ? String(parameter) : undefined;
  });
}

/** `read` gets what follows `column =`, and returns the parameter in it. */
function conditions(
  query: readonly Part[],
  column: string,
  read: (value: Part | undefined, next: Part | undefined) => string | undefined,
): Condition[] {
  return query.flatMap((part, place) => {
    if (part !== column || query[place + 1] !== '=') return [];
    const parameter = read(query[place + 2], query[place + 3]);
    if (parameter === undefined) return [];
    const isQualified = query[place - 1] === '.';
    const before = query[place - (isQualified ? 3 : 1)];
    if (!['where', 'and', 'on'].includes(before as string)) return [];
    const of = isQualified ? (query[place - 2] as string) : undefined;
    return [{ of, parameter }];
  });
}

function definitionFaults(parts: readonly Part[], places: Places): string[] {
  const [verb] = parts;
  if (verb !== 'create' && verb !== 'alter') return [];
  const head = parts.slice(0, 5);
  if (head.includes('trigger') || head.includes('rule')) return ['makes a trigger or a rule'];
  const tables = [...places.distributed.keys(), ...places.reference];
  const table = parts.find((part): part is string => typeof part === 'string' && tables.includes(part));
  if (table === undefined) return [];
  const place = parts.indexOf(table);
  const behind = parts.slice(place + 1);
  if (parts.includes('index')) {
    const isUnique = parts.includes('unique') && places.distributed.has(table);
    return isUnique ? keyFaults(behind.find((part) => Array.isArray(part)) ?? [], table, places) : [];
  }
  const items = verb === 'create' ? split((behind[0] as readonly Part[]) ?? [], ',') : split(behind, ',');
  return items.flatMap((item) => itemFaults(item, table, places));
}

/** Checks one column or constraint of a table. */
function itemFaults(item: readonly Part[], table: string, places: Places): string[] {
  const faults: string[] = [];
  const target = item[item.indexOf('references') + 1];
  if (item.includes('references') && !places.reference.includes(target as string)) {
    faults.push(`refers from ${table} to ${target}, which is not a reference table`);
  }
  if (!places.distributed.has(table)) return faults;
  if (words(item).some((word) => ['identity', 'serial', 'bigserial', 'nextval'].includes(word))) {
    faults.push(`numbers the rows of ${table}, which each node would do separately`);
  }
  if (item.includes('exclude')) faults.push(`has an exclusion on ${table}`);
  const key = item.includes('primary') ? item.indexOf('key') : item.indexOf('unique');
  if (key === -1) return faults;
  const columns = item[key + 1];
  return [...faults, ...keyFaults(Array.isArray(columns) ? columns : [item[0] ?? ''], table, places)];
}

function keyFaults(columns: Part, table: string, { distributed }: Places): string[] {
  const column = distributed.get(table);
  return columns[0] === column ? [] : [`has a key of ${table} that ${column} does not lead`];
}

/** Citus cannot join plain tables with reference tables unless the coordinator is one of its own nodes. */
function mixFaults(parts: readonly Part[], places: Places): string[] {
  const tablesIn = (tables: readonly string[]) => queriesOf(parts).flatMap((query) => references(query, tables));
  const [plain, reference] = [tablesIn(places.plain)[0], tablesIn(places.reference)[0]];
  if (parts[0] === 'insert' || plain === undefined || reference === undefined) return [];
  return [`reads the plain table ${plain.table} together with the reference table ${reference.table}`];
}

/** A notification reaches only clients of the same node. */
function wakeUpFaults(parts: readonly Part[]): string[] {
  const isWakeUp = parts[0] === 'listen' || parts[0] === 'notify' || callsIn(parts).includes('pg_notify');
  return isWakeUp ? ['relies on LISTEN and NOTIFY'] : [];
}

function words(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [part] : isQuery(part) ? [] : words(part)));
}
