/**
 * Formats the report Offers: all parts of each offer, so that the report can be uploaded unchanged as a file of type Offers. NDJSON has the
 * form of `GET …/offer`. CSV has only the columns with a value, which a first pass over all offers finds: with all columns, a line would
 * have thousands of cells.
 */
import type { ReportOffer } from '../domain/bulk-files.ts';
import { parseExactJson } from '../domain/int64.ts';
import type { Names } from '../domain/names.ts';
import { bodyJson, SHOWN_PARTS } from '../domain/offers/parts.ts';
import { spliceJson } from '../domain/offers/stored-json.ts';
import type { Column } from '../domain/sheets/columns.ts';
import { cellsOf, csvLines, type SheetValues, usedColumns, valuesOf } from '../domain/sheets/write-rows.ts';

export function offerLine({ skuId, status, subStatuses, stored }: ReportOffer, names: Names): string {
  const own = { merchant_sku: skuId, is_archived: stored.offer.archived, status: statusOf(status, names) };
  const parts = SHOWN_PARTS.map((part) => [part.name, bodyJson(part, stored, names)]);
  return `${spliceJson(JSON.stringify({ ...own, sub_status: subStatuses }), Object.fromEntries(parts))}\n`;
}

/** Thrown if an offer has a new value for which the sheet has no column. */
export class ColumnMissing extends Error {
  override readonly name = 'ColumnMissing';
}

/** The columns of a report in CSV. */
export class OfferSheet {
  readonly #names: Names;
  readonly #used = new Set<string>();
  #columns: readonly Column[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  /** Adds the columns that the offers need. */
  note(offers: readonly ReportOffer[]): void {
    for (const offer of offers) for (const name of this.#valuesOf(offer).keys()) this.#used.add(name);
  }

  /** Returns the line with the names of the noted columns, which the lines of offers then have. */
  header(): string {
    this.#columns = usedColumns('Offers', this.#used);
    return csvLines([this.#columns.map(({ name }) => name)]);
  }

  lines(offers: readonly ReportOffer[]): string {
    const rows = offers.map((offer) => this.#valuesOf(offer));
    const names = new Set(this.#columns.map(({ name }) => name));
    if (rows.some((values) => values.keys().some((name) => !names.has(name)))) {
      this.note(offers);
      throw new ColumnMissing();
    }
    return csvLines(rows.map((values) => cellsOf(this.#columns, values)));
  }

  #valuesOf({ skuId, status, subStatuses, stored }: ReportOffer): SheetValues {
    const parts = SHOWN_PARTS.flatMap((part) => {
      const json = bodyJson(part, stored, this.#names);
      return json === null ? [] : [[part.name, parseExactJson(json)] as const];
    });
    const own = {
      is_archived: stored.offer.archived,
      status: statusOf(status, this.#names),
      sub_status: subStatuses.join('; ') || null,
    };
    const [values] = valuesOf('Offers', { sku: skuId, body: { ...own, ...Object.fromEntries(parts) } });
    if (values === undefined) throw new Error('A whole offer has one row.');
    return values;
  }
}

function statusOf(status: ReportOffer['status'], names: Names): string {
  return names.status(status ?? 'review');
}
