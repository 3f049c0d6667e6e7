/** Lists, uploads and cancels bulk files. */
import { queryOptions } from '@tanstack/react-query';
import type { FileType } from '#domain/vocabulary/file-types.ts';
import { api, ask } from './client.ts';
import { noAnswer, refusal } from './problem.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type BulkFile = components['schemas']['FileRecord'];
export type Plan = components['schemas']['Plan'];
export type WholePlan = components['schemas']['GetPlanAnswer'];
export type UndoneFile = components['schemas']['UndoneFile'];

const TYPE_NAMES: Readonly<Record<FileType, string>> = {
  Offers: 'Offers',
  MerchantSKUs: 'Product data',
  Price: 'Prices',
  Inventory: 'Inventory',
  Variation: 'Variation groups',
  ShippingException: 'Shipping exceptions',
  ReturnsException: 'Returns exceptions',
  Archive: 'Archive',
};

export function fileTypeName(type: FileType): string {
  return TYPE_NAMES[type];
}

/** Returns the name of the file's type, and whether its rows are only checked. */
export function fileKindName({ file_type, validate_only }: Pick<BulkFile, 'file_type' | 'validate_only'>): string {
  return `${TYPE_NAMES[file_type]}${validate_only ? ' (check only)' : ''}`;
}

/** Prepares the choices of a select, whole offers first. */
export function fileTypeChoices(types: readonly FileType[]): { value: FileType; label: string }[] {
  const ordered = (Object.keys(TYPE_NAMES) as FileType[]).filter((type) => types.includes(type));
  return ordered.map((value) => ({ value, label: TYPE_NAMES[value] }));
}

/** Polling interval while a file is being processed. */
const POLL_MS = 1000;
/** Polling interval of a plan that can still change. Its answer has every offer. */
const PLAN_POLL_MS = 5000;
const CHANGING_PLANS: readonly Plan['state'][] = ['planned', 'awaiting_approval', 'applying'];
/** How often a record is read again for new signed URLs, which expire after half an hour. */
const RENEW_URLS_MS = 10 * 60_000;
export const FILES_PER_PAGE = 20;

export function isInProgress({ status }: Pick<BulkFile, 'status'>): boolean {
  return status === 'Acknowledged' || status === 'Processing';
}

/** Files whose rows are applied: the check of a sheet before its upload is a file too. */
export const filesQuery = (environment: Environment, page: number) =>
  queryOptions({
    queryKey: ['files', environment, page],
    queryFn: () =>
      ask(
        api.GET('/{environment}/files', {
          params: {
            path: { environment },
            query: { offset: (page - 1) * FILES_PER_PAGE, limit: FILES_PER_PAGE, validate_only: false },
          },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.files.some(isInProgress) ? POLL_MS : false),
  });

/** Finds files by id or by a part of their name. */
export const fileSearchQuery = (environment: Environment, q: string, limit: number) =>
  queryOptions({
    queryKey: ['files', environment, 'search', q],
    queryFn: ({ signal }) =>
      ask(api.GET('/{environment}/files', { params: { path: { environment }, query: { q, limit } }, signal })),
  });

export const fileQuery = (environment: Environment, fileId: string) =>
  queryOptions({
    queryKey: ['files', environment, 'file', fileId],
    queryFn: () => readFileRecord(environment, fileId),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      if (isInProgress(data)) return POLL_MS;
      return data.error_url === undefined ? false : RENEW_URLS_MS;
    },
  });

export function readFileRecord(environment: Environment, fileId: string): Promise<BulkFile> {
  return ask(api.GET('/{environment}/files/{file_id}', { params: { path: { environment, file_id: fileId } } }));
}

export function cancelFile(environment: Environment, fileId: string): Promise<BulkFile> {
  return ask(api.POST('/{environment}/files/{file_id}/cancel', { params: { path: { environment, file_id: fileId } } }));
}

/** The server writes the values from before the file with another bulk file. */
export function undoFile(environment: Environment, fileId: string): Promise<UndoneFile> {
  return ask(api.POST('/{environment}/files/{file_id}/undo', { params: { path: { environment, file_id: fileId } } }));
}

export const plansQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['plans', environment],
    queryFn: () => ask(api.GET('/{environment}/plans', { params: { path: { environment } } })),
  });

export const planQuery = (environment: Environment, planId: string) =>
  queryOptions({
    queryKey: ['plans', environment, planId],
    queryFn: () =>
      ask(api.GET('/{environment}/plans/{plan_id}', { params: { path: { environment, plan_id: planId } } })),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && CHANGING_PLANS.includes(data.state) ? PLAN_POLL_MS : false,
  });

export function decidePlan(environment: Environment, planId: string, decision: 'approve' | 'refuse'): Promise<Plan> {
  const params = { path: { environment, plan_id: planId } };
  return decision === 'approve'
    ? ask(api.POST('/{environment}/plans/{plan_id}/approve', { params }))
    : ask(api.POST('/{environment}/plans/{plan_id}/refuse', { params }));
}

/** Decides by the first two bytes, as the server does. */
export async function isGzip(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

interface Upload {
  readonly environment: Environment;
  readonly type: FileType;
  readonly file: File;
  /** The server checks the rows and writes nothing. */
  readonly isOnlyCheck?: boolean;
  /** Called with the share that was sent, from 0 to 1. */
  readonly onSent: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Uploads the file to a signed URL and then submits it, as API clients do. */
export async function uploadFile({ environment, type, file, isOnlyCheck, onSent, signal }: Upload): Promise<BulkFile> {
  const path = { environment };
  const { url } = await ask(api.GET('/{environment}/files/uploadToken', { params: { path }, signal }));
  await put(url, file, onSent, signal);
  // This call cannot be aborted, because it would then be unknown whether the server accepted the file.
  const body = { url, file_type: type, file_name: file.name };
  const params = { path, ...(isOnlyCheck && { query: { validate_only: true } }) };
  return ask(api.POST('/{environment}/files/uploaded', { params, body }));
}

/** Uses XMLHttpRequest because fetch does not report upload progress. */
function put(url: string, file: File, onSent: (share: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('PUT', sameOrigin(url));
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(refusal(request.status, readJson(request.responseText)));
    };
    request.onerror = () => reject(noAnswer());
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/**
 * Rewrites a URL to the page's own origin. The server builds it from PUBLIC_URL, but the page's policy allows requests to its own origin
 * only.
 */
export function sameOrigin(url: string): string {
  const { pathname, search } = new URL(url);
  return new URL(pathname + search, window.location.origin).href;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
