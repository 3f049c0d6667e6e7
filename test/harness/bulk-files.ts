/** Sends bulk files in tests of whole servers as a merchant's program does, and waits for their end. */
import assert from 'node:assert/strict';
import { waitUntil } from './wait-until.ts';

/** The parts of a file's record that tests check. */
export interface FileRecord {
  readonly marketplace_file_id: string;
  readonly status: string;
  readonly rows_processed: number;
  readonly rows_failed: number;
  readonly rows_superseded: number;
  readonly rows_waiting: number;
  readonly bytes_processed: number;
  readonly bytes_total: number;
  readonly error_url?: string;
  readonly retry_url?: string;
}

export class BulkFiles {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Uploads and submits a file; returns its id. */
  async send(type: string, content: Uint8Array | string): Promise<string> {
    const { url, marketplace_file_id } = await this.#json('GET', '/files/uploadToken');
    const uploaded = await fetch(String(url), { method: 'PUT', body: Buffer.from(content) });
    assert.equal(uploaded.status, 201, await uploaded.text());
    const body = { url, file_type: type, file_name: `${type}.json` };
    const record = await this.#json('POST', '/files/uploaded', body);
    assert.equal(record.status, 'Acknowledged');
    return String(marketplace_file_id);
  }

  async read(fileId: string): Promise<FileRecord> {
    return (await this.#json('GET', `/files/${fileId}`)) as unknown as FileRecord;
  }

  async cancel(fileId: string): Promise<FileRecord> {
    return (await this.#json('POST', `/files/${fileId}/cancel`)) as unknown as FileRecord;
  }

  async ended(fileId: string, wait_ms_max = 120_000): Promise<FileRecord> {
    return waitUntil(`the end of file ${fileId}`, wait_ms_max, async () => {
      const record = await this.read(fileId);
      return record.status === 'Acknowledged' || record.status === 'Processing' ? undefined : record;
    });
  }

  /** Returns the content of the error or retry file, or an empty object if there is none. */
  async download(address: string | undefined): Promise<Record<string, unknown>> {
    if (address === undefined) return {};
    const response = await fetch(address);
    assert.equal(response.status, 200);
    return (await response.json()) as Record<string, unknown>;
  }

  async #json(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as Record<string, unknown>;
  }
}
