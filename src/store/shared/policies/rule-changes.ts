/** Lists recorded changes to review rules, and undoes them (see replace-rule.ts). */
import { parseExactJson } from '../../../domain/int64.ts';
import type { PolicyStore, ReplacedRule, RuleChange } from '../../port/settings.ts';
import { change, read, undone, write } from '../command.ts';
import { columnsOf } from '../records.ts';
import { countOf, rowsOf, type Sql, statement } from '../sql.ts';
import {
  hashOf,
  PLACEHOLDER_RULE,
  POLICY_RULE,
  PRODUCT_RULE,
  type Rule,
  replaceRule,
  TAXONOMY_RULE,
} from './replace-rule.ts';

/** `key` and `replaced` are JSON text. */
interface StoredChange extends RuleChange {
  readonly rule: ReplacedRule['rule'];
  readonly key: string;
  readonly replaced: string;
  readonly replacementHash: string;
}

const CHANGE = columnsOf<RuleChange>()('changeId', 'atMs', 'by', 'act', 'subject', 'impact', 'undoneMs');
const REPLACED = columnsOf<StoredChange>()('rule', 'key', 'replaced', 'replacementHash');

const LIST = statement<readonly unknown[]>(
  'list rule changes',
  `SELECT ${CHANGE.list}, key FROM rule_change ORDER BY change_id DESC LIMIT $1`,
);
const READ = statement<readonly unknown[]>(
  'read rule change',
  `SELECT ${CHANGE.list}, ${REPLACED.list} FROM rule_change WHERE change_id = $1`,
);
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

export const listRuleChanges = read<PolicyStore['listRuleChanges']>(
  rowsOf(LIST, (row) => ({ ...CHANGE.of(row), key: JSON.parse(String(row.at(-1))) })),
);

export const readRuleChange = read<PolicyStore['readRuleChange']>(async (sql, changeId) => {
  const found = await find(sql, changeId);
  if (found === undefined) return undefined;
  const { rule, key, replaced, replacementHash: _, ...change } = found;
  return { ...change, replaced: { rule, key: JSON.parse(key), value: parseExactJson(replaced) } as ReplacedRule };
});

export const undoRuleChange = change<PolicyStore['undoRuleChange']>(async (sql, changeId, note) => {
  const found = await find(sql, changeId);
  if (found === undefined) return undone('unknown');
  if (found.undoneMs !== null) return undone('undone');
  const rule = RULES[found.rule];
  const key = JSON.parse(found.key);
  if (hashOf(await rule.read(sql, key)) !== found.replacementHash) return undone('overtaken');
  await replaceRule(sql, rule, key, parseExactJson(found.replaced), note);
  await sql.run(MARK_UNDONE, [changeId, note.atMs]);
  return 'stored';
});

export const dropRuleChangesBefore = write<PolicyStore['dropRuleChangesBefore']>(countOf(DROP));

async function find(sql: Sql, changeId: number): Promise<StoredChange | undefined> {
  const [row] = await sql.run(READ, [changeId]);
  return row && { ...CHANGE.of(row), ...REPLACED.of(row.slice(CHANGE.names.length)) };
}
