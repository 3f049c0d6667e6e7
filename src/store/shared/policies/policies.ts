/** Stores review policies, placeholder images, and the active review rules. Each change begins a sweep. */
import type { PolicyStore } from '../../port/settings.ts';
import { change, read, undone, write } from '../command.ts';
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

export const listPolicies = read<PolicyStore['listPolicies']>(async (sql) =>
  (await listPolicyRows(sql)).map(policyOfRow),
);

export const addPolicy = change<PolicyStore['addPolicy']>(async (sql, policy) => {
  const added = rowOfPolicy(policy);
  const stored = await findPolicy(sql, added);
  const next = stored === undefined ? added : withGrants(stored, added);
  if (next === undefined) return undone('exists');
  await putPolicy(sql, next);
  await beginSweepOfAll(sql);
  return 'stored';
});

export const removePolicy = change<PolicyStore['removePolicy']>(async (sql, policy) => {
  const removed = rowOfPolicy(policy);
  const stored = await findPolicy(sql, removed);
  const left = stored === undefined ? 'unknown' : without(stored, removed);
  if (left === 'unknown') return undone('unknown');
  if (left === 'nothing') await sql.run(REMOVE, [removed.kind, removed.key]);
  else await putPolicy(sql, left);
  await beginSweepOfAll(sql);
  return 'stored';
});

export const listPlaceholders = read<PolicyStore['listPlaceholders']>(async (sql) => {
  return (await sql.run(LIST_PLACEHOLDERS)).map(([hash, note]) => ({ hash, note }));
});

export const addPlaceholder = change<PolicyStore['addPlaceholder']>(async (sql, { hash, note }) => {
  const added = await sql.run(ADD_PLACEHOLDER, [hash, note]);
  if (added.length === 0) return undone('exists');
  await beginSweepOfAll(sql);
  return 'stored';
});

export const removePlaceholder = change<PolicyStore['removePlaceholder']>(async (sql, hash) => {
  const removed = await sql.run(REMOVE_PLACEHOLDER, [hash]);
  if (removed.length === 0) return undone('unknown');
  await beginSweepOfAll(sql);
  return 'stored';
});

export const noteRules = change<PolicyStore['noteRules']>(async (sql, rules) => {
  const changed = await sql.run(NOTE_RULES, [rules]);
  if (changed.length === 0) return undone(undefined);
  await beginSweepOfAll(sql);
  return undefined;
});

export const readRules = read<PolicyStore['readRules']>(async (sql) => {
  const [row] = await sql.run(READ_RULES);
  return row?.[0] ?? undefined;
});

/** Not a `change`, because no server caches it. */
export const holdRules = write<PolicyStore['holdRules']>(async (sql, rules) => {
  const [held] = await sql.run(HOLD_RULES, [rules]);
  if (held !== undefined) return { isActive: true, holds: held[0] };
  const [others] = await sql.run(READ_RULES);
  return { isActive: false, holds: others?.[1] ?? 0 };
});
