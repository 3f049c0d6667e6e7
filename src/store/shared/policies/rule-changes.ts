/** Lists recorded changes to review rules, and undoes them (see replace-rule.ts). */
import type { Environment } from '../../../domain/account.ts';
import { parseExactJson } from '../../../domain/int64.ts';
import type { KnownProduct } from '../../../domain/review/catalog.ts';
import type { KeyOfRule, PolicyStore, ReplacedRule, RuleChange } from '../../port/settings.ts';
import { change, read, undone, write } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { dropSome, firstOf, rowsOf, type Sql, statement } from '../sql.ts';
import {
  hashOf,
  isMergeRefused,
  PLACEHOLDER_RULE,
  POLICY_RULE,
  PRODUCT_RULE,
  type Rule,
  replaceRule,
  TAXONOMY_RULE,
} from './replace-rule.ts';

interface StoredChange extends RuleChange, KeyOfRule {
  readonly rule: ReplacedRule['rule'];
  readonly replaced: unknown;
  readonly replacementHash: string;
}

const FIELDS = ['changeId', 'atMs', 'by', 'act', 'subject', 'impact', 'undoneMs', 'key'] as const;
const CODECS = { key: JSON_TEXT, impact: JSON_TEXT };
const LISTED = columnsOf<StoredChange>(CODECS)(...FIELDS);
const STORED = columnsOf<StoredChange>({ ...CODECS, replaced: { read: parseExactJson } })(
  ...([...FIELDS, 'rule', 'replaced', 'replacementHash'] as const),
);

const LIST = statement('list rule changes')`SELECT ${LISTED.list} FROM rule_change ORDER BY change_id DESC LIMIT $1`;
const READ = statement('read rule change')`SELECT ${STORED.list} FROM rule_change WHERE change_id = $1`;
const MARK_UNDONE = statement<[]>('mark rule change undone')`
  UPDATE rule_change SET undone_ms = $2 WHERE change_id = $1`;

const find: (sql: Sql, changeId: number) => Promise<StoredChange | undefined> = firstOf(READ, STORED.of);

const RULES: Readonly<Record<ReplacedRule['rule'], Rule<unknown>>> = {
  policy: POLICY_RULE,
  placeholder: PLACEHOLDER_RULE,
  taxonomy: TAXONOMY_RULE,
  product: PRODUCT_RULE,
};

export const listRuleChanges = read<PolicyStore['listRuleChanges']>(rowsOf(LIST, LISTED.of));

export const readRuleChange = read<PolicyStore['readRuleChange']>(async (sql, changeId) => {
  const found = await find(sql, changeId);
  if (found === undefined) return undefined;
  const { rule, key, replaced: value, replacementHash: _, ...change } = found;
  return { ...change, replaced: { rule, key, value } as ReplacedRule };
});

export const undoRuleChange = change<PolicyStore['undoRuleChange']>(async (sql, changeId, note) => {
  const found = await find(sql, changeId);
  if (found === undefined) return undone('unknown');
  if (found.undoneMs !== null) return undone('undone');
  const { key } = found;
  const rule = RULES[found.rule];
  if (hashOf(await rule.read(sql, key)) !== found.replacementHash) return undone('overtaken');
  if (await isRefused(sql, found)) return undone('overtaken');
  await replaceRule(sql, rule, key, found.replaced, note);
  await sql.run(MARK_UNDONE, [changeId, note.atMs]);
  return 'stored';
});

/** Products were merged in the meantime, so that the old merge would lead to another one. */
async function isRefused(sql: Sql, { rule, key: [environment], replaced }: StoredChange): Promise<boolean> {
  if (rule !== 'product' || replaced === null) return false;
  return isMergeRefused(sql, environment as Environment, replaced as KnownProduct);
}

export const dropRuleChangesBefore = write<PolicyStore['dropRuleChangesBefore']>(
  { lane: 'background' },
  dropSome('drop rule changes', 'rule_change', 'at_ms < $1 ORDER BY at_ms, change_id'),
);
