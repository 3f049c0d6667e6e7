/**
 * Tests the code samples of the API reference: for every call of both OpenAPI documents, the code in curl, TypeScript and Python sends the
 * example request.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import { createOpenApiDocument } from '../../src/http/openapi/document.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { describedCalls, type OpenApi } from '../harness/openapi-document.ts';
import { tempFolder } from '../harness/temp-folder.ts';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  readonly file?: string;
}

interface SamplesModule {
  readonly LANGUAGES: Readonly<Record<'curl' | 'TypeScript' | 'Python', (request: Request) => string>>;
  exampleRequest(document: unknown, path: string, method: string): Request;
}

const SAMPLES = path.resolve(import.meta.dirname, '../../site/assets/code-samples.js');
const { LANGUAGES, exampleRequest } = (await import(pathToFileURL(SAMPLES).href)) as SamplesModule;
const run = promisify(execFile);
const isMissing = (program: string) => spawnSync(program, ['--version']).status !== 0 && `no ${program}`;
const FILE_TEXT = '{"MUG-300":{}}\n';

describe('code samples', () => {
  const received: string[] = [];
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const { method, url, headers } = message;
    received.push(shown(method, url, headers.authorization, headers['content-type'], Buffer.concat(chunks).toString()));
    response.end('{}');
  });
  let requests: readonly Request[];
  let folder = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
    const documents = (['merchants', 'marketplace'] as const).map(
      (audience) => createOpenApiDocument(ENDPOINTS, new Names(NEUTRAL_NAMES), url, audience) as unknown as OpenApi,
    );
    requests = documents.flatMap((document) =>
      describedCalls(document).map((call) => exampleRequest(document, call.path, call.method.toLowerCase())),
    );
    // What JSON and shells treat specially.
    const body = JSON.stringify({ title: 'It\'s "5" \\ $HOME `id` \u00fc \n', id: 1 }, null, 2);
    requests = [...requests, { method: 'PUT', url: `${url}/quotes`, headers: [], body: `${body} ` }];
    folder = await tempFolder();
    await writeFile(path.join(folder, 'file.json'), FILE_TEXT);
  });
  after(() => server.close());

  /** Runs the samples of all calls as one program, and compares what arrives. */
  async function assertSent(name: keyof typeof LANGUAGES, send: (samples: readonly string[]) => Promise<unknown>) {
    received.length = 0;
    await send(requests.map((request) => LANGUAGES[name](request)));
    assert.ok(requests.length > 70);
    for (const [at, request] of requests.entries()) {
      const { method, url, headers, body, file } = request;
      const header = Object.fromEntries(headers.map(([key, value]) => [key, value.replace('$TOKEN', 'secret')]));
      const type = header['Content-Type'] ?? received[at]?.split('\n')[3];
      const { pathname, search } = new URL(url);
      const content = body ?? (file === undefined ? '' : FILE_TEXT);
      assert.equal(
        normalized(received[at]),
        normalized(shown(method, pathname + search, header.Authorization, type, content)),
        name,
      );
    }
    assert.equal(received.length, requests.length);
  }

  const options = () => ({ cwd: folder, env: { ...process.env, TOKEN: 'secret' } });

  it('curl', { skip: isMissing('curl') }, () =>
    assertSent('curl', async (samples) => {
      await writeFile(path.join(folder, 'all.sh'), samples.map((sample) => `${sample} -sS --fail\n`).join('\n'));
      await run('sh', ['-e', 'all.sh'], options());
    }),
  );

  it('TypeScript', () =>
    assertSent('TypeScript', async (samples) => {
      const imports = new Set(samples.flatMap((sample) => sample.match(/^import .*$/gm) ?? []));
      const calls = samples.map((sample) => `{\n${sample.replaceAll(/^import .*$/gm, '')}\n}`);
      await writeFile(path.join(folder, 'all.mts'), [...imports, ...calls].join('\n'));
      await run(process.execPath, ['all.mts'], options());
    }));

  it('Python', { skip: isMissing('python3') }, () =>
    assertSent('Python', async (samples) => {
      await writeFile(path.join(folder, 'all.py'), samples.join('\n'));
      await run('python3', ['all.py'], options());
    }),
  );
});

/** Curl and Python send a default type with every body. */
function shown(method = '', url = '', authorization = '', type = '', body = ''): string {
  return [method, url, authorization, type, body].join('\n');
}

/** Compares JSON bodies by value. */
function normalized(request = ''): string {
  const [method, url, authorization, type, ...lines] = request.split('\n');
  const body = lines.join('\n');
  const isJson = body.trim().startsWith('{') && body !== FILE_TEXT;
  return [method, url, authorization, type, isJson ? JSON.stringify(JSON.parse(body)) : body].join('\n');
}
