/**
 * In charge of tying tests to the lines of docs/contract.md: each case names the line that it proves, and
 * test/docs/contract.test.ts reads those names out of the sources.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient, assertProblems, type ExpectedProblem } from './api-client.ts';
import { VARIANTS } from './variants.ts';

type ApiCase = (api: ApiClient) => Promise<void>;

export interface ContractCases {
  /** Proves that what the line allows is accepted, or that what it promises happens. */
  accepts(line: string, what: string, run: ApiCase): void;
  /** Proves that what the line forbids is refused. */
  refuses(line: string, what: string, run: ApiCase): void;
  /** Proves both sides of a rule about a body: at the bound, and one beyond. */
  bounds(line: string, sides: Bounds): void;
}

export interface Bounds {
  /** Makes the request that carries the body; by default the given `send`. */
  readonly send: (api: ApiClient, body: Record<string, unknown>) => Promise<Awaited<ReturnType<ApiClient['send']>>>;
  readonly accepted: Readonly<Record<string, Record<string, unknown>>>;
  readonly refused: Readonly<Record<string, { body: Record<string, unknown>; problems: readonly ExpectedProblem[] }>>;
}

/** Runs the cases against a server of each variant. */
export function describeApi(
  title: string,
  define: (cases: ContractCases) => void,
  settings: Readonly<Record<string, string>> = {},
): void {
  for (const variant of VARIANTS) {
    describe(`${title} (${variant.title})`, { skip: variant.skip }, () => {
      let api: ApiClient;
      before(async () => {
        api = await ApiClient.open(variant, settings);
      });
      after(() => api.server.close());

      const accepts: ContractCases['accepts'] = (line, what, run) => {
        it(`${line} accepts ${what}`, () => run(api));
      };
      const refuses: ContractCases['refuses'] = (line, what, run) => {
        it(`${line} refuses ${what}`, () => run(api));
      };
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
    });
  }
}
