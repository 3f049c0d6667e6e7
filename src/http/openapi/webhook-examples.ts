/** Examples of the calls about webhooks. */
export const WEBHOOK_ID = '3e9b6c1d-52f7-4a08-8d6e-90c1b2a3f4e5';
export const EVENT_ID = '5f0c27b1e4aa-1s-1';
const WEBHOOK = {
  webhook_id: WEBHOOK_ID,
  url: 'https://hooks.example/offerbook',
  types: ['offer.status_changed', 'file.finished'],
  include: [],
  batches: false,
  enabled: true,
  disabled_reason: null,
  failed_attempts: 0,
  created: '2026-01-31T09:30:00.000Z',
};
const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw6fJ9Xk1aVhY=';
/** The webhook URL of the example does not exist, so the delivery fails. */
const UNDELIVERED = {
  at: '2026-01-31T09:30:02.500Z',
  attempt: 1,
  status: null,
  failure: 'The host name cannot be resolved.',
};

export const WEBHOOK_EXAMPLES = {
  addWebhook: { body: { url: WEBHOOK.url, types: WEBHOOK.types }, answer: { ...WEBHOOK, secret: WEBHOOK_SECRET } },
  listWebhooks: { answer: { webhooks: [WEBHOOK] } },
  getWebhook: { answer: WEBHOOK },
  changeWebhook: { body: { enabled: true }, answer: WEBHOOK },
  rollWebhookSecret: { body: { overlap_seconds: 3600 }, answer: { ...WEBHOOK, secret: WEBHOOK_SECRET } },
  testWebhook: { answer: { event_id: `test-${WEBHOOK_ID}`, type: 'webhook.test', events: 0, ...UNDELIVERED } },
  replayEvent: {
    body: { event_id: EVENT_ID },
    answer: { event_id: EVENT_ID, type: 'offer.updated', events: 1, ...UNDELIVERED },
  },
  listDeliveries: {
    answer: { deliveries: [{ event_id: EVENT_ID, type: 'offer.updated', events: 1, ...UNDELIVERED }] },
  },
  removeWebhook: {},
};
