/** Examples of the calls about plans. */
export const PLAN_ID = '9a4c7d20-1b3e-4f58-8c6d-2e5f7a8b9c01';

const SKU = 'MUG-300';
const NODE = 'demo-node-east';
const OFFER = { inventory: { fulfillment_nodes: [{ fulfillment_node_id: NODE, quantity: 10 }] } };
const PLANNED = {
  id: PLAN_ID,
  state: 'planned',
  by: { kind: 'key', name: 'demo-test-user' },
  created: '2026-01-31T09:30:00.000Z',
  expires: '2026-01-31T10:30:00.000Z',
  totals: {
    offers: 1,
    unchanged: 0,
    refused: 0,
    skipped: 0,
    archived: 0,
    price_change_percent_max: null,
    price_min: null,
  },
  needs_approval: [],
  decided_by: null,
};
const TRIED = {
  offers: [
    {
      merchant_sku: SKU,
      accepted: true,
      problems: [],
      changes: [{ pointer: `/inventory/${NODE}`, before: 12, after: 10 }],
      status: 'Available For Purchase',
      sub_status: [],
    },
  ],
};

/** `received`: the record of a bulk file that was just submitted. */
export function planExamples(received: object) {
  const bytes = JSON.stringify({ [SKU]: OFFER }).length + 1;
  const file = { ...received, file_type: 'Offers', bytes_total: bytes };
  return {
    makePlan: { body: { offers: [{ merchant_sku: SKU, offer: OFFER }] }, answer: { ...PLANNED, ...TRIED } },
    listPlans: { answer: { plans: [PLANNED] } },
    getPlan: { answer: { ...PLANNED, ...TRIED } },
    applyPlan: {
      answer: {
        ...PLANNED,
        state: 'applied',
        file: {
          ...file,
          marketplace_file_id: PLAN_ID,
          file_name: `Plan ${PLAN_ID}`,
          format: 'JSON',
          compression: 'none',
          status: 'Processed successfully',
          processing_start: '2026-01-31T09:30:00.000Z',
          processing_end: '2026-01-31T09:30:02.500Z',
          rows_processed: 1,
          bytes_processed: bytes,
          rows_per_second: 0.4,
        },
      },
    },
    undoPlan: {
      answer: { offers: 1, skipped: 0, skipped_skus: [], file: { ...file, file_name: `Undo: Plan ${PLAN_ID}` } },
    },
  };
}
