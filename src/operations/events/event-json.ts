/** Formats events for the API and for webhooks. */
import type { Author } from '../../domain/author.ts';
import { cursorText, type FeedEvent } from '../../domain/events.ts';
import type { Names } from '../../domain/names.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';

const ADDRESS_OF_PART: Readonly<Record<HistoryPart, string>> = {
  sku: '',
  price: '/price',
  inventory: '/inventory',
  archive: '',
  variation: '/variation',
  shipping_exception: '/shippingexception',
  returns_exception: '/returnsexception',
};

export function eventId({ place }: FeedEvent, tag: string): string {
  return cursorText({ tag, ...place });
}

/** Returns the content of an event without its id, type and time. */
export function contentJson(event: FeedEvent, names: Names): Record<string, unknown> {
  switch (event.type) {
    case 'offer.updated': {
      const { skuId, part, by } = event;
      const url = `${skuUrl(skuId)}${ADDRESS_OF_PART[part]}`;
      return { merchant_sku: skuId, part, by: by && authorJson(by), url };
    }
    case 'offer.status_changed': {
      const { skuId, before, after, issuesAdded, issuesRemoved } = event;
      const statuses = { before: before && names.status(before), after: names.status(after) };
      const issues = { issues_added: issuesAdded, issues_removed: issuesRemoved };
      return { merchant_sku: skuId, ...statuses, ...issues, url: skuUrl(skuId) };
    }
    case 'file.finished': {
      const { fileId, fileType, status } = event;
      return { file_id: fileId, file_type: fileType, status, url: `/files/${fileId}` };
    }
    case 'report.ready': {
      const { reportId, status } = event;
      return { report_id: reportId, status, url: `/reports/state/${reportId}` };
    }
    case 'key.rolled': {
      const { user, nextUser, endsMs } = event;
      return { user, new_user: nextUser, old_keys_end: new Date(endsMs).toISOString() };
    }
  }
}

function skuUrl(skuId: string): string {
  return `/merchant-skus/${encodeURIComponent(skuId)}`;
}

export function authorJson(by: Author): { kind: string; name: string } {
  const end = by.indexOf(':');
  return { kind: by.slice(0, end), name: by.slice(end + 1) };
}
