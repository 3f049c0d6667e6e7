/**
 * Ties tests to the lines of docs/project/contract.md: each case names the line it proves, and test/docs/contract.test.ts reads
 * those names from the sources.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient, assertProblems, type ExpectedProblem } from './api-client.ts';
import { unlessTimeIsLost } from './lost-time.ts';
import { isRun, type Scope } from './scope.ts';
import { BODY_VARIANTS, VARIANTS, type Variant } from './variants.ts';

type ApiCase = (api: ApiClient) => Promise<void>;

export interface ContractCases {
  /** Proves that the server accepts what the line allows, or does what it promises. */
  accepts(line: string, what: string, run: ApiCase): void;
  /** Proves that the server refuses what the line forbids. */
  refuses(line: string, what: string, run: ApiCase): void;
  /** Proves both sides of a rule about a body: at the bound, and one beyond. */
  bounds(line: string, sides: Bounds): void;
}

export interface Bounds {
  /** Sends the request with the body. The default is the given `send`. */
  readonly send: (api: ApiClient, body: Record<string, unknown>) => Promise<Awaited<ReturnType<ApiClient['send']>>>;
  readonly accepted: Readonly<Record<string, Record<string, unknown>>>;
  readonly refused: Readonly<Record<string, { body: Record<string, unknown>; problems: readonly ExpectedProblem[] }>>;
}

type Define = (cases: ContractCases) => void;

interface Client {
  /** When accepting cases run in the second variant. */
  readonly secondScope: Scope;
  open(variant: Variant): Promise<ApiClient>;
  close(api: ApiClient): Promise<void>;
}

/** For cases that count messages or compare times, which change if the server loses a lease because its process stood still. */
export function timedCases(define: Define): Define {
  return (cases) =>
    define({
      ...cases,
      accepts: (line, what, run) => cases.accepts(line, what, unlessTimeIsLost(run)),
      refuses: (line, what, run) => cases.refuses(line, what, unlessTimeIsLost(run)),
    });
}

/** Runs the cases against their own server of each variant. */
export function describeApi(title: string, define: Define, settings: Readonly<Record<string, string>> = {}): void {
  const client: Client = {
    secondScope: 'long',
    open: (variant) => ApiClient.open(variant, settings),
    close: (api) => api.server.close(),
  };
  describeVariants(title, define, VARIANTS, client);
}

/**
 * Runs the cases against one server per variant, which the files of this process share. Such cases use only their own SKUs, do not change
 * account settings, and move the clock by minutes at most. On PostgreSQL they are long tests, because the store contract tests the same
 * promises there.
 */
export function describeSharedApi(title: string, define: Define): void {
  describeVariants(title, define, VARIANTS, sharedClient('long'));
}

/** Like `describeSharedApi`, but accepting cases are usual tests on PostgreSQL too. For calls that write every part of an offer. */
export function describeSharedOnBoth(title: string, define: Define): void {
  describeVariants(title, define, VARIANTS, sharedClient('usual'));
}

/**
 * Like `describeSharedApi`, but on SQLite only, for rules about a body. A refused body never reaches the database, and both databases store
 * an accepted one unchanged, which the store contract tests.
 */
export function describeBodyRules(title: string, define: Define): void {
  describeVariants(title, define, BODY_VARIANTS, sharedClient('usual'));
}

const sharedClients = new Map<Variant, Promise<ApiClient>>();

after(async () => {
  for (const api of sharedClients.values()) await (await api).server.close();
});

function sharedClient(secondScope: Scope): Client {
  return {
    secondScope,
    open(variant) {
      const api = sharedClients.get(variant) ?? ApiClient.open(variant);
      sharedClients.set(variant, api);
      return api;
    },
    // The servers are closed after the last test of the process.
    close: async () => {},
  };
}

function describeVariants(title: string, define: Define, variants: readonly Variant[], client: Client): void {
  for (const variant of variants) {
    const isFirst = variant === variants[0];
    // Most requests are refused before the database, so refusals by the other variant are long tests.
    const scopes: Record<'accepts' | 'refuses', Scope> = {
      accepts: isFirst ? 'usual' : client.secondScope,
      refuses: isFirst ? 'usual' : 'long',
    };
    describe(`${title} (${variant.title})`, { skip: variant.skip }, () => {
      let api: ApiClient;
      let cases = 0;
      const defineCase = (side: 'accepts' | 'refuses', line: string, what: string, run: ApiCase): void => {
        if (!isRun(scopes[side])) return;
        cases++;
        it(`${line} ${side} ${what}`, () => run(api));
      };
      const accepts: ContractCases['accepts'] = (line, what, run) => defineCase('accepts', line, what, run);
      const refuses: ContractCases['refuses'] = (line, what, run) => defineCase('refuses', line, what, run);
      const bounds: ContractCases['bounds'] = (line, sides) => {
        assert.ok(Object.keys(sides.accepted).length > 0, `${line} has no accepting case`);
        assert.ok(Object.keys(sides.refused).length > 0, `${line} has no refusing case`);
        for (const [what, body] of Object.entries(sides.accepted)) {
          accepts(line, what, async (client) => {
            const answer = await sides.send(client, body);
            assert.deepEqual({ status: answer.status, text: answer.text }, { status: 202, text: '' });
          });
        }
        for (const [what, { body, problems }] of Object.entries(sides.refused)) {
          refuses(line, what, async (client) => assertProblems(await sides.send(client, body), problems));
        }
      };
      define({ accepts, refuses, bounds });
      if (cases === 0) return;
      before(async () => {
        api = await client.open(variant);
      });
      after(() => client.close(api));
    });
  }
}
