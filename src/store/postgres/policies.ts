/** In charge of what the operator decides: policies, and pictures that stand for none. Each change begins a sweep. */
import type { Policy } from '../../domain/review/policies.ts';
import type { Placeholder } from '../port/policies.ts';
import { grantTo, type PolicyRow, policyOfRow, rowOfPolicy, withGrants, without } from '../shared/policy-row.ts';
import { type Connection, statement } from './engine.ts';
import { beginSweepOfAll } from './review-sweeps.ts';
import { type Ending, kept, undone } from './transactions.ts';

type Row = [kind: PolicyRow['kind'], key: string, value: string, merchantIds: string];

const SELECT = 'SELECT kind, key, value, merchant_ids FROM policy';
const LIST = statement<Row>('list policies', `${SELECT} ORDER BY kind, key`);
const RESTRICTED = statement<Row>('list restricted brands', `${SELECT} WHERE kind = 'restricted_brand' ORDER BY key`);
const FIND = statement<Row>('find policy', `${SELECT} WHERE kind = $1 AND key = $2`);
const PUT = statement<[]>(
  'put policy',
  `INSERT INTO policy (kind, key, value, merchant_ids) VALUES ($1, $2, $3, $4)
   ON CONFLICT (kind, key) DO UPDATE SET merchant_ids = excluded.merchant_ids`,
);
const REMOVE = statement<[]>('remove policy', 'DELETE FROM policy WHERE kind = $1 AND key = $2');

const LIST_PLACEHOLDERS = statement<[hash: string, note: string]>(
  'list placeholders',
  'SELECT hash, note FROM placeholder ORDER BY hash',
);
const ADD_PLACEHOLDER = statement<[one: number]>(
  'add placeholder',
  'INSERT INTO placeholder (hash, note) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING RETURNING 1',
);
const REMOVE_PLACEHOLDER = statement<[one: number]>(
  'remove placeholder',
  'DELETE FROM placeholder WHERE hash = $1 RETURNING 1',
);

const NOTE_RULES = statement<[one: number]>(
  'note rules',
  'UPDATE setup_version SET program_rules = $1 WHERE program_rules IS DISTINCT FROM $1 RETURNING 1',
);

const READ_RULES = statement<[rules: string | null, holds: number]>(
  'read rules',
  'SELECT program_rules, program_rules_holds FROM setup_version',
);
const HOLD_RULES = statement<[holds: number]>(
  'hold rules',
  `UPDATE setup_version SET program_rules_holds = program_rules_holds + 1 WHERE program_rules = $1
   RETURNING program_rules_holds`,
);

export async function noteRules(connection: Connection, rules: string): Promise<Ending<void>> {
  const [changed] = await connection.run(NOTE_RULES, [rules]);
  if (changed === undefined) return undone(undefined);
  await beginSweepOfAll(connection);
  return kept(undefined);
}

export async function readRules(connection: Connection): Promise<string | undefined> {
  const [row] = await connection.run(READ_RULES);
  return row?.[0] ?? undefined;
}

export async function holdRules(connection: Connection, rules: string): Promise<{ inForce: boolean; holds: number }> {
  const [held] = await connection.run(HOLD_RULES, [rules]);
  if (held !== undefined) return { inForce: true, holds: held[0] };
  const [others] = await connection.run(READ_RULES);
  return { inForce: false, holds: others?.[1] ?? 0 };
}

export async function listPolicies(connection: Connection): Promise<Policy[]> {
  return (await connection.run(LIST)).map(rowOf).map(policyOfRow);
}

/** Changes of the set-up come one after the other: what was found stands still until it was written. */
export async function addPolicy(connection: Connection, policy: Policy): Promise<Ending<'stored' | 'exists'>> {
  const added = rowOfPolicy(policy);
  const stored = await find(connection, added);
  const next = stored === undefined ? added : withGrants(stored, added);
  if (next === undefined) return undone('exists');
  await put(connection, next);
  await beginSweepOfAll(connection);
  return kept('stored');
}

export async function removePolicy(connection: Connection, policy: Policy): Promise<Ending<'stored' | 'unknown'>> {
  const removed = rowOfPolicy(policy);
  const stored = await find(connection, removed);
  const left = stored === undefined ? 'unknown' : without(stored, removed);
  if (left === 'unknown') return undone('unknown');
  if (left === 'nothing') await connection.run(REMOVE, [removed.kind, removed.key]);
  else await put(connection, left);
  await beginSweepOfAll(connection);
  return kept('stored');
}

export async function listPlaceholders(connection: Connection): Promise<Placeholder[]> {
  return (await connection.run(LIST_PLACEHOLDERS)).map(([hash, note]) => ({ hash, note }));
}

export async function addPlaceholder(
  connection: Connection,
  { hash, note }: Placeholder,
): Promise<Ending<'stored' | 'exists'>> {
  const added = await connection.run(ADD_PLACEHOLDER, [hash, note]);
  if (added.length === 0) return undone('exists');
  await beginSweepOfAll(connection);
  return kept('stored');
}

export async function removePlaceholder(connection: Connection, hash: string): Promise<Ending<'stored' | 'unknown'>> {
  const removed = await connection.run(REMOVE_PLACEHOLDER, [hash]);
  if (removed.length === 0) return undone('unknown');
  await beginSweepOfAll(connection);
  return kept('stored');
}

/** The grants that a merchant had go with it. No sweep: it has no offers any more. */
export async function removeGrants(connection: Connection, merchantId: string): Promise<void> {
  for (const row of await connection.run(RESTRICTED)) {
    const left = without(rowOf(row), grantTo(merchantId, rowOf(row)));
    if (typeof left === 'object') await put(connection, left);
  }
}

async function find(connection: Connection, { kind, key }: PolicyRow): Promise<PolicyRow | undefined> {
  const [row] = await connection.run(FIND, [kind, key]);
  return row && rowOf(row);
}

async function put(connection: Connection, { kind, key, value, merchantIds }: PolicyRow): Promise<void> {
  await connection.run(PUT, [kind, key, value, merchantIds]);
}

function rowOf([kind, key, value, merchantIds]: Row): PolicyRow {
  return { kind, key, value, merchantIds };
}
