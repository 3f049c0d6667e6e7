/** Handles calls with `dry_run=true`: what the call would change, without storing anything. */
import { OneOf } from '../domain/check/schema.ts';
import { Type } from '../domain/check/type.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { Names } from '../domain/names.ts';
import { differencesOf } from '../domain/offers/part-changes.ts';
import type { Problem } from '../domain/problem.ts';
import { CHECKS } from '../domain/review/checks.ts';
import type { DryRun } from '../operations/offers/dry-run.ts';
import { type OfferPosition, positionWith } from '../operations/storefront/positions.ts';
import { refusedAnswer } from './answers/answers.ts';
import type { Answer, AnyEndpoint, MerchantCall, MerchantEndpoint } from './endpoint.ts';
import { statusFields } from './endpoints/get-sku.ts';
import { positionFields } from './endpoints/position.ts';
import { TriedPosition } from './endpoints/storefront-schemas.ts';
import { parametersOf, queryProblem, textParameter } from './query.ts';

const NAME = 'dry_run';

export const DRY_RUN_PARAMETER = {
  [NAME]: {
    description: '`true` checks the call and returns what it would change, without storing anything.',
    schema: Type.Boolean(),
  },
};

const MISSPELLED = queryProblem(
  `${NAME}: the name is misspelled in the query. Send ${NAME}=true for a dry run, or remove the misspelled parameter.`,
);
const NOT_SUPPORTED = queryProblem(`${NAME}: not supported by this call. Nothing was changed.`);

const anyValue = (description: string) => Type.Unsafe<unknown>({ description });

/** A value that differs, in a dry run or in an event. */
export function changedValue(before: string, after: string) {
  return Type.Object({
    pointer: Type.String({
      description:
        'JSON pointer to the changed value. It starts with the part: `/price/price`, `/inventory/{fulfillment_node_id}`. ' +
        'A list counts as one value.',
    }),
    before: anyValue(`${before}. Null if there is none.`),
    after: anyValue(`${after}. Null if there is none.`),
  });
}

export const DryRunAnswer = (names: Names) =>
  Type.Object(
    {
      changes: Type.Array(changedValue('The stored value', 'The value that would be stored'), {
        description: 'What the call would change on this SKU. Empty if the call would change nothing.',
      }),
      ignored_fields: Type.Array(Type.String(), {
        description: 'JSON pointers to unknown fields in the body, which would not be stored.',
      }),
      ...statusFields(names),
      pending: Type.Array(OneOf(CHECKS.map(({ id }) => id)), {
        description:
          'Checks that would run after the call because they need a download or a lookup. The status may change once they are done.',
      }),
      position: Type.Optional(TriedPosition),
    },
    { title: 'DryRun', description: 'What the call would change, and the status of the SKU right after it.' },
  );

/**
 * Returns whether the query asks for a dry run, or the problem: a client that misspells the parameter, or sends it to a call without dry
 * runs, must not find its data stored. Reads store nothing, and ignore it.
 */
export function readDryRun(endpoint: AnyEndpoint, query: string): boolean | Problem {
  if (query === '' || endpoint.method === 'GET') return false;
  const misspelled = parametersOf(query).find(({ name }) => name !== NAME && isSpelling(name));
  if (misspelled !== undefined) return MISSPELLED;
  const read = textParameter(query, NAME);
  if ('problem' in read) return read.problem;
  if (read.value === undefined || read.value === 'false') return false;
  if (!hasDryRun(endpoint)) return NOT_SUPPORTED;
  return read.value === 'true' || queryProblem(`${NAME}: must be true or false.`);
}

/** Recognizes `dryRun`, `Dry-Run`, `dry_run[]`, and names that were encoded twice or in another encoding. */
function isSpelling(name: string): boolean {
  return name.replace(/%[\da-f]{2}|[^a-z]/gi, '').toLowerCase() === 'dryrun';
}

type TriedEndpoint = MerchantEndpoint & Required<Pick<MerchantEndpoint, 'dryRun'>>;

export function hasDryRun(endpoint: AnyEndpoint | undefined): endpoint is TriedEndpoint {
  return endpoint?.access === 'merchant' && endpoint.dryRun !== undefined;
}

export async function dryRunAnswer(endpoint: TriedEndpoint, call: MerchantCall): Promise<Answer> {
  const outcome = await endpoint.dryRun(call);
  if (!outcome.ok) return refusedAnswer(outcome);
  const { names } = call.services.context;
  const { value, ignored } = outcome;
  const position = await triedPosition(call, value);
  const json = stringifyExactJson({
    changes: value.changes.flatMap((change) => differencesOf(change, names)),
    ignored_fields: ignored,
    status: names.status(value.status),
    sub_status: value.subStatuses,
    pending: value.pending,
    ...(position && { position: positionFields(position) }),
  });
  return { status: 200, json, ignored };
}

/** Undefined unless the call changes nothing but the price. */
async function triedPosition(
  { services, account, skuId }: MerchantCall,
  { changes, status }: DryRun,
): Promise<OfferPosition | undefined> {
  const [change, ...others] = changes;
  if (change?.part !== 'price' || change.after === null || others.length > 0) return undefined;
  return positionWith(services.storefront, services.context, account, skuId, { price: change.after, status });
}
