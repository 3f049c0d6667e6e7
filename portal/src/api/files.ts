/** In charge of bulk files as pages see them: reading, sending and cancelling them. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import { noAnswer, refusal } from './problem.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type BulkFile = components['schemas']['FileRecord'];
export type FileType = BulkFile['file_type'];

export const FILE_TYPES = [
  { value: 'MerchantSKUs', label: 'Offers (MerchantSKUs)' },
  { value: 'Price', label: 'Prices' },
  { value: 'Inventory', label: 'Inventory' },
  { value: 'Variation', label: 'Variation groups' },
  { value: 'ShippingException', label: 'Shipping exceptions' },
  { value: 'ReturnsException', label: 'Returns exceptions' },
  { value: 'Archive', label: 'Archive' },
] as const satisfies readonly { value: FileType; label: string }[];

/** How often a file under way is looked at. */
const FOLLOW_MS = 1000;
/** Addresses of errors are signed anew with each look; they are good for half an hour. */
const SIGN_ANEW_MS = 10 * 60_000;
export const FILES_PER_PAGE = 20;

export function isUnderWay({ status }: Pick<BulkFile, 'status'>): boolean {
  return status === 'Acknowledged' || status === 'Processing';
}

export const filesQuery = (environment: Environment, page: number) =>
  queryOptions({
    queryKey: ['files', environment, page],
    queryFn: () =>
      ask(
        api.GET('/{environment}/files', {
          params: { path: { environment }, query: { offset: (page - 1) * FILES_PER_PAGE, limit: FILES_PER_PAGE } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.files.some(isUnderWay) ? FOLLOW_MS : false),
  });

export const fileQuery = (environment: Environment, fileId: string) =>
  queryOptions({
    queryKey: ['files', environment, 'file', fileId],
    queryFn: () =>
      ask(api.GET('/{environment}/files/{file_id}', { params: { path: { environment, file_id: fileId } } })),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      if (isUnderWay(data)) return FOLLOW_MS;
      return data.error_url === undefined ? false : SIGN_ANEW_MS;
    },
  });

export function cancelFile(environment: Environment, fileId: string): Promise<BulkFile> {
  return ask(api.POST('/{environment}/files/{file_id}/cancel', { params: { path: { environment, file_id: fileId } } }));
}

/** By its first bytes, as the server tells. */
export async function isGzip(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

interface Sending {
  readonly environment: Environment;
  readonly type: FileType;
  readonly file: File;
  /** From 0 to 1. */
  readonly onSent: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Sends the file as a merchant's program does: to a signed address, and hands it over then. */
export async function sendFile({ environment, type, file, onSent, signal }: Sending): Promise<BulkFile> {
  const path = { environment };
  const { url } = await ask(api.GET('/{environment}/files/uploadToken', { params: { path }, signal }));
  await put(url, file, onSent, signal);
  // From here on it is not stopped any more: nobody could say whether the file was taken.
  const body = { url, file_type: type, file_name: file.name };
  return ask(api.POST('/{environment}/files/uploaded', { params: { path }, body }));
}

/** By XMLHttpRequest, because fetch does not tell how much was sent. */
function put(url: string, file: File, onSent: (share: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('PUT', here(url));
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
 * The same address under the name by which this page was opened: the server knows itself by its public name, and the
 * page may speak only to where it came from.
 */
export function here(url: string): string {
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
