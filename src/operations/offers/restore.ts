/** Use case: a merchant sets a part of an offer back to its value before a change in the history. */
import type { Author } from '../../domain/author.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import { type PartBefore, valueOn } from '../../domain/offers/history.ts';
import type { Part } from '../../domain/offers/part.ts';
import { PART } from '../../domain/offers/parts.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { Context } from '../context.ts';
import { type HistoryContext, readHistory } from '../history/read-history.ts';
import { type DryRun, dryRunPart } from './dry-run.ts';
import { type NewTag, type WriteRequest, writePart } from './write.ts';

export interface RestoreRequest extends Omit<WriteRequest, 'body'> {
  readonly changeId: number;
}

/** Writes the old value like any other write: the current rules apply, and the history records it as a new change. */
export async function restoreVersion(
  context: Context,
  history: HistoryContext,
  request: RestoreRequest,
  by: Author,
): Promise<Outcome<NewTag>> {
  const version = await readVersion(history, request);
  return version.ok ? writePart(version.value.part)(context, version.value.request, by) : version;
}

export async function dryRunRestore(
  context: Context,
  history: HistoryContext,
  request: RestoreRequest,
): Promise<Outcome<DryRun>> {
  const version = await readVersion(history, request);
  return version.ok ? dryRunPart(version.value.part)(context, version.value.request) : version;
}

interface Version {
  readonly part: Part;
  /** Writes the value before the change. */
  readonly request: WriteRequest;
}

async function readVersion(
  history: HistoryContext,
  { changeId, ...request }: RestoreRequest,
): Promise<Outcome<Version>> {
  const { account, skuId } = request;
  const page = await readHistory(history, account, skuId, { after: changeId + 1, limit: 1 });
  if (!page.ok) return page;
  const change = page.value.changes[0];
  if (change?.id !== changeId) {
    const text = `SKU ${skuId} has no change ${changeId}, or the history of that change has expired.`;
    return refuseRequest('change_unknown', text);
  }
  const value = bodyBefore(change);
  if (value === undefined) {
    const text = 'There is no earlier version to restore: this change created the value.';
    return refuseRequest('version_empty', text);
  }
  return accept({ part: PART[change.part], request: { ...request, body: { value, problems: [] } } });
}

/** The checks of bodies accept the neutral names too. */
const NAMES = new Names(NEUTRAL_NAMES);

/** Returns the value before the change as the body of a call; undefined if no call can write it. */
export function bodyBefore(change: PartBefore): object | undefined {
  const part: Part = PART[change.part];
  const value = valueOn('before', change);
  if (value === null) return part.clearingBody;
  return part.bodyOf?.(value) ?? (parseExactJson(part.json(value, NAMES)) as object);
}
