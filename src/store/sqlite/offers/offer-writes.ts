/**
 * In charge of the writing commands, each "do this unless the SKU is unknown or archived". Runs in the writer thread,
 * inside a transaction that is not its own. Each write gives the number of the transaction to the part that it changes,
 * and marks the offer as due for review where it can change what it is reviewed to be.
 *
 * Arguments are flat, because copying a nested object between threads costs more than the write itself.
 */
import type { Author } from '../../../domain/author.ts';
import type { GroupOutcome, WriteOutcome } from '../../port/offers.ts';
import type { Connection } from '../engine/engine.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import { type Change, HistoryWrites } from '../history/history-writes.ts';
import { ReviewMarks } from '../review/review-marks.ts';
import { GroupWrites } from './group-writes.ts';
import { PartWrites } from './part-writes.ts';
import { SkuLookup } from './sku-lookup.ts';

export class OfferWrites {
  readonly reviewMarks: ReviewMarks;
  readonly groups: GroupWrites;
  readonly history: HistoryWrites;
  readonly #numbers: WriteNumbers;
  readonly #skus: SkuLookup;
  readonly #parts: PartWrites;

  constructor(connection: Connection, numbers: WriteNumbers, keepsHistory: boolean) {
    this.#numbers = numbers;
    this.#skus = new SkuLookup(connection);
    this.history = new HistoryWrites(connection, numbers, keepsHistory);
    this.#parts = new PartWrites(connection, this.history);
    this.reviewMarks = new ReviewMarks(connection, numbers);
    this.groups = new GroupWrites(connection, this.#skus, this.reviewMarks, this.history);
  }

  putSku(accountId: number, skuId: string, document: string, nowMs: number, by: Author): 'stored' | 'archived' {
    const id = this.#skus.findOpen(accountId, skuId);
    if (id === 'archived') return id;
    const change = this.#change(accountId, by, nowMs);
    if (id === 'unknown') {
      const newId = this.#parts.addSku(accountId, skuId, document, change) as number;
      this.reviewMarks.mark(accountId, newId);
    } else {
      this.#parts.writeDocument(id, document, change);
      this.reviewMarks.mark(accountId, id);
    }
    return 'stored';
  }

  /** `nodes` is the JSON text of the node prices. */
  putPrice(accountId: number, skuId: string, price: number, nodes: string, nowMs: number, by: Author): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    const written = this.#parts.writePrice(id, price, nodes, this.#change(accountId, by, nowMs));
    if (written === 'first') this.reviewMarks.mark(accountId, id);
    return 'stored';
  }

  /** `nodeIds` and `quantities` go together by place. */
  patchInventory(
    accountId: number,
    skuId: string,
    nodeIds: readonly string[],
    quantities: readonly number[],
    nowMs: number,
    by: Author,
  ): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    // Nothing is written, and so no number drawn.
    if (nodeIds.length === 0) return 'stored';
    const change = this.#change(accountId, by, nowMs);
    const { newNodes } = this.#parts.writeQuantities(id, nodeIds, quantities, 0, nodeIds.length, change);
    if (newNodes > 0) this.reviewMarks.mark(accountId, id);
    return 'stored';
  }

  putGroup(
    accountId: number,
    skuId: string,
    refinements: string,
    title: string | null,
    childrenSkus: readonly string[],
    nowMs: number,
    by: Author,
  ): GroupOutcome {
    const found = this.groups.findMembers(accountId, skuId, childrenSkus);
    if (typeof found === 'string' || 'refused' in found) return found;
    this.groups.put(accountId, found, refinements, title, this.#change(accountId, by, nowMs));
    return 'stored';
  }

  putShippingExceptions(
    accountId: number,
    skuId: string,
    exceptions: string | null,
    nowMs: number,
    by: Author,
  ): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    this.#parts.putShipping(id, exceptions, this.#change(accountId, by, nowMs));
    return 'stored';
  }

  /** `locationIds` is the JSON text of the list. */
  putReturnLocations(
    accountId: number,
    skuId: string,
    locationIds: string | null,
    nowMs: number,
    by: Author,
  ): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    this.#parts.putReturns(id, locationIds, this.#change(accountId, by, nowMs));
    return 'stored';
  }

  setArchived(accountId: number, skuId: string, archived: boolean, nowMs: number, by: Author): 'stored' | 'unknown' {
    const sku = this.#skus.find(accountId, skuId);
    if (sku === undefined) return 'unknown';
    const [id, wasArchived] = sku;
    const change = this.#change(accountId, by, nowMs);
    if (archived === (wasArchived === 1)) {
      // It was asked for now: a row of an older file that asks for the other comes too late.
      this.#parts.numberFlag(id, change);
    } else {
      this.#parts.changeFlag(id, archived, change);
      this.reviewMarks.mark(accountId, id);
    }
    return 'stored';
  }

  drawNumber(): number {
    return this.#numbers.drawApart();
  }

  #change(accountId: number, by: Author, nowMs: number): Change {
    return this.history.begin(accountId, by, false, this.#numbers.current(), nowMs);
  }
}
