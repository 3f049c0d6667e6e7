/** Lists recorded changes of review rules, and undoes them (see rules.ts). */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { PolicyStore, ReplacedRule, RuleChange } from '../../port/settings.ts';
import { productOf } from '../catalog/catalog-rows.ts';
import { change, read, undone, write } from '../command.ts';
import { statement } from '../sql.ts';
import { type PolicyRow, policyOfRow } from './policy-row.ts';
import { hashOf, PLACEHOLDER_RULE, POLICY_RULE, PRODUCT_RULE, type Rule, replaceRule, TAXONOMY_RULE } from './rules.ts';

type ChangeRow = [
  changeId: number,
  atMs: number,
  by: string,
  act: string,
  subject: string,
  impact: string | null,
  undoneMs: number | null,
];

const COLUMNS = 'change_id, at_ms, made_by, act, subject, impact, undone_ms';
const LIST = statement<ChangeRow>(
  'list rule changes',
  `SELECT ${COLUMNS} FROM rule_change ORDER BY change_id DESC LIMIT $1`,
);
const READ = statement<
  [...ChangeRow, rule: ReplacedRule['rule'], key: string, replaced: string, replacementHash: string]
>('read rule change', `SELECT ${COLUMNS}, rule, key, replaced, replacement_hash FROM rule_change WHERE change_id = $1`);
const MARK_UNDONE = statement<[]>(
  'mark rule change undone',
  'UPDATE rule_change SET undone_ms = $2 WHERE change_id = $1',
);
const DROP = statement<[one: number]>('drop rule changes', 'DELETE FROM rule_change WHERE at_ms < $1 RETURNING 1');

const RULES: Readonly<Record<ReplacedRule['rule'], Rule<unknown>>> = {
  policy: POLICY_RULE,
  placeholder: PLACEHOLDER_RULE,
  taxonomy: TAXONOMY_RULE,
  product: PRODUCT_RULE,
};

export const listRuleChanges = read<PolicyStore['listRuleChanges']>(async (sql, limit) =>
  (await sql.run(LIST, [limit])).map(changeOf),
);

export const readRuleChange = read<PolicyStore['readRuleChange']>(async (sql, changeId) => {
  const [row] = await sql.run(READ, [changeId]);
  if (row === undefined) return undefined;
  const { 7: rule, 8: key, 9: replaced } = row;
  return { ...changeOf(row), replaced: replacedRule(rule, JSON.parse(key), JSON.parse(replaced) as never) };
});

export const undoRuleChange = change<PolicyStore['undoRuleChange']>(async (sql, changeId, note) => {
  const [row] = await sql.run(READ, [changeId]);
  if (row === undefined) return undone('unknown');
  const { 6: undoneMs, 7: name, 8: keyText, 9: replaced, 10: replacementHash } = row;
  if (undoneMs !== null) return undone('undone');
  const rule = RULES[name];
  const key = JSON.parse(keyText);
  if (hashOf(await rule.read(sql, key)) !== replacementHash) return undone('overtaken');
  await replaceRule(sql, rule, key, JSON.parse(replaced), note);
  await sql.run(MARK_UNDONE, [changeId, note.atMs]);
  return 'stored';
});

export const dropRuleChangesBefore = write<PolicyStore['dropRuleChangesBefore']>(async (sql, timeMs) => {
  return (await sql.run(DROP, [timeMs])).length;
});

function changeOf(row: readonly [...ChangeRow, ...unknown[]]): RuleChange {
  const [changeId, atMs, by, act, subject, impact, undoneMs] = row;
  return { changeId, atMs, by, act, subject, impact, undoneMs };
}

/** `value` as the rule wrote it (see rules.ts). */
function replacedRule(rule: ReplacedRule['rule'], key: readonly string[], value: never): ReplacedRule {
  const [first = '', second = ''] = key;
  switch (rule) {
    case 'policy':
      return { rule, kind: first as PolicyRow['kind'], key: second, policy: value && policyOfRow(value) };
    case 'placeholder':
      return { rule, hash: first, placeholder: value && { hash: first, note: value } };
    case 'taxonomy':
      return { rule, taxonomy: value };
    case 'product':
      return {
        rule,
        environment: first as Environment,
        code: second as CatalogCode,
        product: value && productOf(value, 'operator'),
      };
  }
}
