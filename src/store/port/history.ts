/** Port for the change history of offers. */
import type { Author } from '../../domain/author.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';
import type { GroupUpload, NodePrice, SkuKey } from './offers.ts';

interface Changed<Part extends HistoryPart, Value> {
  readonly part: Part;
  readonly before: Value;
  readonly after: Value;
}

export interface NodeChange {
  readonly nodeId: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** A change to one part. Its old or new value is null if the part was or is not set. Documents and shipping exceptions are JSON text. */
export type PartChange =
  | Changed<'sku', string | null>
  | Changed<'price', { readonly price: number; readonly nodes: readonly NodePrice[] } | null>
  /** The nodes whose quantity the write changed. */
  | { readonly part: 'inventory'; readonly nodes: readonly NodeChange[] }
  | Changed<'archive', boolean>
  | Changed<'variation', GroupUpload | null>
  | Changed<'shipping_exception', string | null>
  | Changed<'returns_exception', readonly string[] | null>;

type Before<Change> = Change extends { readonly part: 'inventory' }
  ? { readonly part: 'inventory'; readonly nodes: readonly Omit<NodeChange, 'after'>[] }
  : Omit<Change, 'after'>;

/** The value of a part before a change. */
export type PartBefore = Before<PartChange>;

/** The parts that can be changed in many offers at once. */
export type UndoablePart = 'price' | 'inventory' | 'archive';

/** A change that one author made to an offer. */
export interface ChangeBy {
  readonly skuId: string;
  readonly before: PartBefore;
  /** Whether the part, or for stock one of the same nodes, was changed again later. */
  readonly isChangedSince: boolean;
}

/** `id` is unique among the offer's changes, and higher for later changes. */
export type OfferChange = PartChange & { readonly id: number; readonly atMs: number; readonly by: Author };

export interface HistoryPageRequest {
  /** The `next` of the previous page; undefined for the first page. */
  readonly after: number | undefined;
  readonly limit: number;
  /** Changes before this time are omitted, even if they are not dropped yet. */
  readonly sinceMs: number;
}

/** A page of changes, newest first. Large documents may end it early; `next` is undefined on the last page. */
export interface HistoryPage {
  readonly changes: readonly OfferChange[];
  readonly next: number | undefined;
}

/**
 * Every write that changes a part of an offer records author, time and the value before, in its own commit. A write that changes nothing
 * records nothing. All rows of one file that change a part are one change, even if they are written again after a crash.
 *
 * A group is a part of its parent. A change is also recorded for a parent that loses a child, or its whole group, to another group.
 */
export interface HistoryStore {
  /** Returns undefined for an unknown SKU. */
  readHistory(key: SkuKey, page: HistoryPageRequest): Promise<HistoryPage | undefined>;
  /** Returns the changes that `by` made to this part of these offers. Offers whose part `by` did not change are left out. */
  readChangesBy(
    accountId: number,
    by: Author,
    part: UndoablePart,
    skuIds: readonly string[],
  ): Promise<readonly ChangeBy[]>;
  /** Returns the stock that archiving set to 0. Leaves out offers that are not archived, or had no stock. */
  readArchivedStock(
    accountId: number,
    skuIds: readonly string[],
  ): Promise<readonly Pick<ChangeBy, 'skuId' | 'before'>[]>;
  /** Drops some records older than `beforeMs`, or some authors that no record names, in a few milliseconds. `more`: call it again. */
  dropHistory(beforeMs: number): Promise<'more' | 'done'>;
}
