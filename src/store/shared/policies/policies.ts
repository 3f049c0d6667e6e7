/** What the operator decides: review policies, placeholder images, and the review rules in force. Each change begins a sweep. */
import type { Policy } from '../../../domain/review/policies.ts';
import type { Placeholder } from '../../port/settings.ts';
import { change, type Outcome, read, undone, write } from '../command.ts';
import { beginSweepOfAll } from '../review-sweeps.ts';
import { statement } from '../sql.ts';
import { findPolicy, listPolicyRows, policyOfRow, putPolicy, rowOfPolicy, withGrants, without } from './policy-row.ts';

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

const listPolicies = read(async (sql): Promise<Policy[]> => (await listPolicyRows(sql)).map(policyOfRow));

const addPolicy = change(async (sql, policy: Policy): Promise<Outcome<'stored' | 'exists'>> => {
  const added = rowOfPolicy(policy);
  const stored = await findPolicy(sql, added);
  const next = stored === undefined ? added : withGrants(stored, added);
  if (next === undefined) return undone('exists');
  await putPolicy(sql, next);
  await beginSweepOfAll(sql);
  return 'stored';
});

const removePolicy = change(async (sql, policy: Policy): Promise<Outcome<'stored' | 'unknown'>> => {
  const removed = rowOfPolicy(policy);
  const stored = await findPolicy(sql, removed);
  const left = stored === undefined ? 'unknown' : without(stored, removed);
  if (left === 'unknown') return undone('unknown');
  if (left === 'nothing') await sql.run(REMOVE, [removed.kind, removed.key]);
  else await putPolicy(sql, left);
  await beginSweepOfAll(sql);
  return 'stored';
});

const listPlaceholders = read(async (sql): Promise<Placeholder[]> => {
  return (await sql.run(LIST_PLACEHOLDERS)).map(([hash, note]) => ({ hash, note }));
});

const addPlaceholder = change(async (sql, { hash, note }: Placeholder): Promise<Outcome<'stored' | 'exists'>> => {
  const added = await sql.run(ADD_PLACEHOLDER, [hash, note]);
  if (added.length === 0) return undone('exists');
  await beginSweepOfAll(sql);
  return 'stored';
});

const removePlaceholder = change(async (sql, hash: string): Promise<Outcome<'stored' | 'unknown'>> => {
  const removed = await sql.run(REMOVE_PLACEHOLDER, [hash]);
  if (removed.length === 0) return undone('unknown');
  await beginSweepOfAll(sql);
  return 'stored';
});

const noteRules = change(async (sql, rules: string): Promise<Outcome<void>> => {
  const changed = await sql.run(NOTE_RULES, [rules]);
  if (changed.length === 0) return undone(undefined);
  await beginSweepOfAll(sql);
});

const readRules = read(async (sql): Promise<string | undefined> => {
  const [row] = await sql.run(READ_RULES);
  return row?.[0] ?? undefined;
});

/** Not a change: no server caches it. */
const holdRules = write(async (sql, rules: string): Promise<{ inForce: boolean; holds: number }> => {
  const [held] = await sql.run(HOLD_RULES, [rules]);
  if (held !== undefined) return { inForce: true, holds: held[0] };
  const [others] = await sql.run(READ_RULES);
  return { inForce: false, holds: others?.[1] ?? 0 };
});

export const policies = {
  listPolicies,
  addPolicy,
  removePolicy,
  listPlaceholders,
  addPlaceholder,
  removePlaceholder,
  noteRules,
  readRules,
  holdRules,
};
