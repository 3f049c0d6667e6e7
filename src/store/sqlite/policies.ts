/** In charge of what the operator decides: policies, and pictures that stand for none. Each change begins a sweep. */
import type { Policy } from '../../domain/review/policies.ts';
import type { Placeholder } from '../port/policies.ts';
import { grantTo, type PolicyRow, policyOfRow, rowOfPolicy, withGrants, without } from '../shared/policy-row.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { beginSweepOfAll } from './review-sweeps.ts';

type Row = [kind: PolicyRow['kind'], key: string, value: string, merchantIds: string];

const SELECT = 'SELECT kind, key, value, merchant_ids FROM policy';

export function listPolicies(connection: Connection): Policy[] {
  return query<Row>(connection, `${SELECT} ORDER BY kind, key`).all().map(rowOf).map(policyOfRow);
}

export function addPolicy(connection: Connection, policy: Policy): 'stored' | 'exists' {
  const added = rowOfPolicy(policy);
  const stored = find(connection, added);
  const next = stored === undefined ? added : withGrants(stored, added);
  if (next === undefined) return 'exists';
  put(connection, next);
  beginSweepOfAll(connection);
  return 'stored';
}

export function removePolicy(connection: Connection, policy: Policy): 'stored' | 'unknown' {
  const removed = rowOfPolicy(policy);
  const stored = find(connection, removed);
  const left = stored === undefined ? 'unknown' : without(stored, removed);
  if (left === 'unknown') return 'unknown';
  if (left === 'nothing') {
    query(connection, 'DELETE FROM policy WHERE kind = ? AND key = ?').run(removed.kind, removed.key);
  } else {
    put(connection, left);
  }
  beginSweepOfAll(connection);
  return 'stored';
}

export function listPlaceholders(connection: Connection): Placeholder[] {
  const rows = query<[hash: string, note: string]>(
    connection,
    'SELECT hash, note FROM placeholder ORDER BY hash',
  ).all();
  return rows.map(([hash, note]) => ({ hash, note }));
}

export function addPlaceholder(connection: Connection, { hash, note }: Placeholder): 'stored' | 'exists' {
  const insert = query(connection, 'INSERT INTO placeholder (hash, note) VALUES (?, ?) ON CONFLICT DO NOTHING');
  if (insert.run(hash, note).changes === 0) return 'exists';
  beginSweepOfAll(connection);
  return 'stored';
}

export function removePlaceholder(connection: Connection, hash: string): 'stored' | 'unknown' {
  if (query(connection, 'DELETE FROM placeholder WHERE hash = ?').run(hash).changes === 0) return 'unknown';
  beginSweepOfAll(connection);
  return 'stored';
}

export function noteRules(connection: Connection, rules: string): void {
  const note = query(connection, 'UPDATE setup_version SET program_rules = ?1 WHERE program_rules IS NOT ?1');
  if (note.run(rules).changes > 0) beginSweepOfAll(connection);
}

export function readRules(connection: Connection): string | undefined {
  return query<[string | null]>(connection, 'SELECT program_rules FROM setup_version').get()?.[0] ?? undefined;
}

export function holdRules(connection: Connection, rules: string): { inForce: boolean; holds: number } {
  const hold = query(
    connection,
    'UPDATE setup_version SET program_rules_holds = program_rules_holds + 1 WHERE program_rules = ?',
  );
  const inForce = hold.run(rules).changes > 0;
  const [holds] = query<[number]>(connection, 'SELECT program_rules_holds FROM setup_version').get() ?? [0];
  return { inForce, holds };
}

/** The grants that a merchant had go with it. No sweep: it has no offers any more. */
export function removeGrants(connection: Connection, merchantId: string): void {
  for (const row of query<Row>(connection, `${SELECT} WHERE kind = 'restricted_brand'`).all()) {
    const left = without(rowOf(row), grantTo(merchantId, rowOf(row)));
    if (typeof left === 'object') put(connection, left);
  }
}

function find(connection: Connection, { kind, key }: PolicyRow): PolicyRow | undefined {
  const row = query<Row>(connection, `${SELECT} WHERE kind = ? AND key = ?`).get(kind, key);
  return row && rowOf(row);
}

function put(connection: Connection, { kind, key, value, merchantIds }: PolicyRow): void {
  query(connection, 'INSERT OR REPLACE INTO policy (kind, key, value, merchant_ids) VALUES (?, ?, ?, ?)').run(
    kind,
    key,
    value,
    merchantIds,
  );
}

function rowOf([kind, key, value, merchantIds]: Row): PolicyRow {
  return { kind, key, value, merchantIds };
}
