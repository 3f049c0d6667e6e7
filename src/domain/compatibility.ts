/**
 * Lists every difference of the profile `COMPATIBILITY=jet`, for programs that were written for the original API.
 *
 * The profile sets other defaults for names, and reshapes some responses of the API. Requests, the portal and stored
 * data stay the same.
 */
import type { Account } from './account.ts';
import { Id } from './check/schema.ts';
import { type TSchema, Type } from './check/type.ts';
import type { ProblemCode } from './problem.ts';

export const COMPATIBILITIES = Object.freeze(['off', 'jet'] as const);

export type Compatibility = (typeof COMPATIBILITIES)[number];

type Json = Readonly<Record<string, unknown>>;

/** How the JSON response of a call differs. */
interface Difference {
  readonly reshape?: (answer: Json, account: Account) => unknown;
  /** Properties of the response that differ, for the OpenAPI document. */
  readonly properties?: Readonly<Record<string, TSchema>>;
  /** A read that would be refused with this code returns 200 with this response. Fields that it lacks are optional in the OpenAPI document. */
  readonly empty?: { readonly insteadOf: ProblemCode; readonly answer: Json };
}

/** Defaults for names that the operator did not set. */
const DEFAULTS: Readonly<Record<string, string>> = Object.freeze({
  MARKETPLACE_NAME: 'jet',
  EXTERNAL_NAME: 'amazon',
  CARRIER_NAMES: 'DHL,FedEx,OnTrac,UPS,USPS',
});

const text = (description: string) => Type.String({ description });
const CHILDREN = Type.Array(Type.Object({ merchant_sku: text('Id of the SKU.') }), {
  description: 'The other members.',
});
const REFINEMENTS = Type.Array(Id(), {
  description: 'Ids of the attributes in which the members differ. Empty if the SKU is not the parent of a group.',
});
const NODE_LINKS = Type.Array(Type.String(), {
  description: 'Path of each node: `/fulfillment-nodes/` and its id.',
});
/** Fulfillment nodes have no postal address here. */
const NO_ADDRESS = Object.freeze({ Address1: '', Address2: '', City: '', State: '', ZipCode: '' });

const PLAIN_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function withChildren(answer: Json): Json {
  const { children_skus: children } = answer;
  if (!Array.isArray(children)) return answer;
  return { ...answer, children_skus: children.map((merchant_sku) => ({ merchant_sku })) };
}

function withFeeAsNumber(answer: Json): Json {
  const { no_return_fee_adjustment: fee } = answer;
  if (typeof fee !== 'string' || !PLAIN_NUMBER.test(fee)) return answer;
  return { ...answer, no_return_fee_adjustment: Number(fee) };
}

const SKU: Difference = {
  reshape: (answer) => withFeeAsNumber(withChildren(answer)),
  properties: { children_skus: Type.Optional(CHILDREN) },
};

export const JET = Object.freeze({
  defaults: DEFAULTS,
  availableStatus: 'Available for Purchase',
  /** Differences by the id of the call. */
  answers: Object.freeze<Record<string, Difference>>({
    getSku: SKU,
    /** Applies to calls with `?sku=`. */
    listSkus: SKU,
    getVariation: {
      reshape: withChildren,
      properties: { variation_refinements: REFINEMENTS, children_skus: CHILDREN },
      empty: {
        insteadOf: 'variation_unset',
        answer: { variation_refinements: [], children_skus: [], excluded_skus: [] },
      },
    },
    getShippingException: {
      empty: { insteadOf: 'shipping_exception_unset', answer: { fulfillment_nodes: [] } },
    },
    getReturnsException: {
      empty: { insteadOf: 'returns_exception_unset', answer: { return_location_ids: [] } },
    },
    listFulfillmentNodes: {
      reshape: (_answer, { nodes }) => ({
        fulfillment_nodes: Array.from(nodes.keys(), (id) => `/fulfillment-nodes/${encodeURIComponent(id)}`),
      }),
      properties: { fulfillment_nodes: NODE_LINKS },
    },
    getReportState: {
      reshape: (answer, { merchantId }) => ({
        ...answer,
        merchant_id: merchantId,
        report_requested_date: answer.requested,
        report_expiration_date: answer.expires ?? '',
        // A report has no recorded start: it is created soon after the request.
        processing_start: answer.processing_end === undefined ? '' : answer.requested,
        processing_end: answer.processing_end ?? '',
        report_url: answer.report_url ?? '',
      }),
      properties: {
        merchant_id: text('Your merchant id.'),
        report_requested_date: text('When the report was requested.'),
        report_expiration_date: text('When the report expires; empty before it is finished.'),
        processing_start: text('When the report was started; empty before it is finished.'),
        processing_end: text('When the report was finished; empty before.'),
        report_url: text('Signed URL of the CSV; empty unless the report is Ready.'),
      },
    },
  }),
  /** The response of `GET /fulfillmentnodesbymerchantid`, which exists only in this profile. */
  NodesByMerchantId: Type.Array(
    Type.Object({
      FulfillmentNodeId: text('Id of the node.'),
      ...Object.fromEntries(Object.keys(NO_ADDRESS).map((name) => [name, text('Always empty.')])),
    }),
    { description: 'All your nodes.' },
  ),
  nodesByMerchantId: ({ nodes }: Account) =>
    Array.from(nodes.keys(), (FulfillmentNodeId) => ({ FulfillmentNodeId, ...NO_ADDRESS })),
});
