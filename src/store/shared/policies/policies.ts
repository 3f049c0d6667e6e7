/** Stores review policies, placeholder images, and the active review rules. Each change begins a sweep. */
import { type Policy, policyKey, withoutPolicy, withPolicy } from '../../../domain/review/policies.ts';
import type { ChangeNote, PolicyStore } from '../../port/settings.ts';
import { change, read, undone, write } from '../command.ts';
import { beginSweep } from '../review/review.ts';
import { firstOf, rowsOf, type Sql, statement, type WriteSql } from '../sql.ts';
import { announce, isDated } from './announced-changes.ts';
import { PLACEHOLDER, PLACEHOLDER_RULE, POLICY_RULE, policyOf, putPolicy, replaceRule } from './replace-rule.ts';

const LIST_POLICIES = statement<[policy: string]>('list policies')`SELECT policy FROM policy ORDER BY kind, key`;
const LIST_PLACEHOLDERS = statement('list placeholders')`SELECT ${PLACEHOLDER.list} FROM placeholder ORDER BY hash`;
const NOTE_RULES = statement<[one: number]>('note rules')`
  UPDATE setup_version SET program_rules = $1 WHERE program_rules IS DISTINCT FROM $1 RETURNING 1`;
const READ_RULES = statement<[rules: string | null, holds: number]>('read rules')`
  SELECT program_rules, program_rules_holds FROM setup_version`;
const HOLD_RULES = statement<[holds: number]>('hold rules')`
  UPDATE setup_version SET program_rules_holds = program_rules_holds + 1 WHERE program_rules = $1
  RETURNING program_rules_holds`;

export const listPolicies = read<PolicyStore['listPolicies']>(rowsOf(LIST_POLICIES, policyOf));

export const addPolicy = change<PolicyStore['addPolicy']>(async (sql, policy, note) => {
  if (isDated(note)) return announce(sql, note, { edit: 'addPolicy', body: policy });
  return (await changePolicy(sql, withPolicy, policy, note)) ? 'stored' : undone('exists');
});

export const removePolicy = change<PolicyStore['removePolicy']>(async (sql, policy, note) => {
  if (isDated(note)) return announce(sql, note, { edit: 'removePolicy', body: policy });
  return (await changePolicy(sql, withoutPolicy, policy, note)) ? 'stored' : undone('unknown');
});

/** Returns false if it changes nothing. */
async function changePolicy(sql: WriteSql, changed: typeof withPolicy, policy: Policy, note: ChangeNote | undefined) {
  const key = [policy.kind, policyKey(policy)];
  const stored = await POLICY_RULE.read(sql, key);
  const next = changed(stored === null ? [] : [stored], policy);
  if (next !== undefined) await replaceRule(sql, POLICY_RULE, key, next[0] ?? null, note);
  return next !== undefined;
}

/** Removes the grants of a merchant. It has no offers any more, so no sweep begins. */
export async function removeGrants(sql: Sql, merchantId: string): Promise<void> {
  for (const policy of await listPolicies(sql)) {
    if (policy.kind !== 'restricted_brand') continue;
    const [left] = withoutPolicy([policy], { ...policy, merchantIds: [merchantId] }) ?? [];
    if (left !== undefined) await putPolicy(sql, left);
  }
}

export const listPlaceholders = read<PolicyStore['listPlaceholders']>(rowsOf(LIST_PLACEHOLDERS, PLACEHOLDER.of));

export const addPlaceholder = change<PolicyStore['addPlaceholder']>(async (sql, placeholder, note) => {
  if (isDated(note)) return announce(sql, note, { edit: 'addPlaceholder', body: placeholder });
  const key = [placeholder.hash];
  if ((await PLACEHOLDER_RULE.read(sql, key)) !== null) return undone('exists');
  await replaceRule(sql, PLACEHOLDER_RULE, key, placeholder, note);
  return 'stored';
});

export const removePlaceholder = change<PolicyStore['removePlaceholder']>(async (sql, hash, note) => {
  if (isDated(note)) return announce(sql, note, { edit: 'removePlaceholder', body: hash });
  if ((await PLACEHOLDER_RULE.read(sql, [hash])) === null) return undone('unknown');
  await replaceRule(sql, PLACEHOLDER_RULE, [hash], null, note);
  return 'stored';
});

export const noteRules = change<PolicyStore['noteRules']>(async (sql, rules) => {
  const changed = await sql.run(NOTE_RULES, [rules]);
  if (changed.length === 0) return undone(undefined);
  await beginSweep(sql, 'all');
  return undefined;
});

export const readRules = read<PolicyStore['readRules']>(firstOf(READ_RULES, ([rules]) => rules ?? undefined));

/** Not a `change`, because no server caches this data. */
export const holdRules = write<PolicyStore['holdRules']>(async (sql, rules) => {
  const [held] = await sql.run(HOLD_RULES, [rules]);
  if (held !== undefined) return { isActive: true, holds: held[0] };
  const [others] = await sql.run(READ_RULES);
  return { isActive: false, holds: others?.[1] ?? 0 };
});
