/** Every limit of the contract and of this server, with the unit in the name. */

export const LIMITS = Object.freeze({
  body_bytes_max: 1_048_576,
  /** The limit for calls that need no credentials: `/token`, and signing in to the portal. */
  open_body_bytes_max: 8192,
  body_depth_max: 32,
  /** Commas and opening brackets outside strings. 1 MiB of the shortest shipping exceptions has 48,400. */
  body_values_max: 50_000,
  /** A SKU, the largest body, has 42 fields. V8 needs about 1 us for each field name that it has not seen before. */
  object_fields_max: 1000,
  /** Maximum number of problems in one response. If there are more, the last one says so. */
  problems_max: 100,
  /** Maximum number of unknown fields that a response names, and the length of the header that names them. */
  ignored_fields_max: 20,
  ignored_fields_header_bytes_max: 1000,

  sku_id_characters_max: 64,
  sku_id_encoded_characters_max: 768,

  product_title_characters_min: 5,
  product_title_characters_max: 500,
  brand_characters_max: 100,
  manufacturer_characters_max: 100,
  product_description_characters_max: 2000,
  mfr_part_number_characters_max: 50,
  bullet_characters_max: 500,
  bullets_max: 5,
  included_bullets_max: 50,
  cautionary_statements_max: 50,
  country_of_origin_characters_max: 50,
  safety_warning_characters_max: 2000,
  attribute_value_characters_max: 100,
  attributes_max: 50,
  alternate_images_max: 8,
  standard_product_codes_max: 50,
  multipack_quantity_max: 128,
  url_characters_max: 2048,
  /** The limit for text without a limit in the contract. */
  text_characters_max: 2000,
  /** The limit for legal text and ingredient lists. */
  long_text_characters_max: 10_000,

  amount_min: 0.01,
  amount_max: 1_000_000_000,
  count_max: 2_147_483_647,

  fulfillment_nodes_max: 1000,
  shipping_exceptions_per_node_max: 100,
  return_location_ids_max: 100,
  children_skus_max: 2000,
  variation_refinements_max: 20,
  /** Maximum number of shoes of one group that the review lists. */
  shoe_group_listed_max: 1000,
  fixes_applied_max: 100,
  fix_id_characters_max: 100,

  merchant_id_characters_max: 64,
  merchant_name_characters_max: 100,
  /** What operators note about a merchant. */
  merchant_note_characters_max: 2000,
  /** Ids of fulfillment nodes and return locations. */
  place_id_characters_max: 64,
  fulfillment_nodes_per_account_max: 1000,
  return_locations_per_account_max: 1000,
  credential_overlap_seconds_max: 2_592_000,
  credentials_per_account_max: 20,
  credential_name_characters_max: 64,
  email_characters_max: 254,
  /** Lifetime of links with which portal users set a password. */
  one_time_link_seconds: 86_400,
  password_characters_min: 12,
  password_characters_max: 200,
  link_token_characters_max: 100,
  /** A portal session ends after this time without a request. */
  session_idle_seconds: 28_800,
  /** A portal session ends this long after it started, even if it is in use. */
  session_lifetime_seconds: 604_800,
  /** Shorter for sessions that began at a sign-in provider, so that a person it removes loses access within a day. */
  provider_session_lifetime_seconds: 43_200,
  /** How long a person may take to sign in at the provider. */
  provider_sign_in_seconds: 600,
  provider_response_characters_max: 6000,
  passkeys_per_user_max: 10,
  passkey_name_characters_max: 64,
  /** How long a person may take to confirm with a passkey. */
  passkey_challenge_seconds: 300,
  /** Ids of passkeys have at most 1023 bytes; this is their length as base64url. */
  passkey_id_characters_max: 1364,
  /** The length of the other texts that an authenticator sends. An RSA key needs about 1000 characters. */
  passkey_text_characters_max: 3000,
  /** A session token is replaced after this time. The old one keeps working during the overlap. */
  session_rotation_seconds: 1800,
  session_overlap_seconds: 60,
  sessions_per_user_max: 50,
  portal_requests_per_window_max: 600,
  /** Maximum number of lookups of unknown session tokens by one client: an IPv4 address, or a /64 network of IPv6. */
  session_misses_per_window_max: 600,
  /** The window in which wrong passwords count. The limits are for one user from one client, for one user, and for one client. */
  sign_in_window_seconds: 900,
  sign_in_failures_max: 10,
  sign_in_failures_per_user_max: 100,
  sign_in_failures_per_client_max: 60,
  act_detail_characters_max: 500,
  /** A search of the activity log. */
  act_search_characters_max: 200,
  act_retention_days: 730,
  /** A rule change that changes the status of more offers needs a confirmation. */
  unconfirmed_offers_max: 100,
  /** Maximum number of offers that are reviewed to estimate the effect of a rule change. If there are more, a sample is reviewed. */
  impact_offers_max: 20_000,
  /** Products of each environment that are ranked by both orders before a change of the order. */
  impact_products_max: 200_000,
  /** How long a rule change can be undone. */
  rule_change_undo_days: 7,
  /** Maximum number of rule changes that are kept. Each may hold a taxonomy of 16 MB. */
  rule_changes_max: 200,
  /** Maximum number of products that are merged into one. A correction of it re-reviews the offers of all. */
  merged_products_max: 20,
  /** Maximum number of rule changes that are announced at a time: each review of an offer evaluates all of them. */
  announced_changes_max: 20,
  /** Minimum and maximum time between the announcement of a rule change and its date. */
  announced_hours_min: 1,
  announced_days_max: 730,
  /** Retention of announced changes after they were applied or cancelled. */
  announced_change_retention_days: 90,
  /** Maximum number of merchants in one grant of a restricted brand. */
  policy_merchants_max: 1000,
  placeholder_note_characters_max: 255,
  placeholder_image_bytes_max: 10_485_760,
  /**
   * Maximum number of logos and watermarks. Comparing an image with a watermark takes about 0.1 s. With 10, images on a busy machine waited
   * too long for a decoder.
   */
  image_samples_max: 5,
  /** The longest time until a running server sees changed settings. */
  setup_notice_seconds_max: 2,

  taxonomy_file_bytes_max: 16_777_216,
  taxonomy_nodes_max: 50_000,
  /** Departments are the first level. */
  taxonomy_levels_max: 10,
  taxonomy_name_characters_max: 200,
  /** How many everyday words a node may have, and how long one may be. */
  taxonomy_words_max: 30,
  taxonomy_word_characters_max: 50,
  taxonomy_attributes_max: 5000,
  taxonomy_attribute_values_max: 1000,
  taxonomy_attribute_units_max: 50,
  taxonomy_unit_characters_max: 20,
  taxonomy_search_characters_max: 200,
  taxonomy_search_words_max: 10,
  taxonomy_search_limit_default: 20,
  taxonomy_search_limit_max: 100,
  /** How many nodes a preview lists for each kind of change, and how many problems of the file. */
  taxonomy_samples_max: 50,
  taxonomy_problems_shown_max: 100,

  /** Lifetime of URLs that need no token: uploads, and downloads of error files, retry files and reports. */
  signed_link_seconds: 1800,
  file_name_characters_max: 255,
  /** Retention of files with their records, error files and retry files, and of report records. */
  file_retention_days: 30,
  /** Maximum number of rows of a file that can be undone, because its history is read during the request. */
  undo_rows_max: 1_000_000,
  /** Maximum number of offers that the response of an undo names. */
  undo_named_max: 1_000,
  report_lifetime_days: 7,
  /** Counted from the call for a URL. After that, an upload can no longer be submitted and is deleted. */
  upload_lifetime_days: 1,
  /** Maximum number of pending reports per account. */
  reports_waiting_max: 5,
  /** Maximum number of uploads in progress per account; each worker of a server counts its own. */
  uploads_at_once_max: 10,

  /** The minimum time between requested re-checks of an image. */
  image_check_pause_seconds: 10,

  idempotency_key_characters_max: 255,
  /** Minimum retention of a key and its response. The request limit bounds the number of keys. */
  idempotency_key_hours: 24,
  /** A longer response is not stored. Only lists of problems can be this long. */
  idempotency_answer_characters_max: 65_536,
  /** A request that has no response after this time counts as interrupted. */
  idempotency_lease_seconds: 10,

  /** Retention of request counts per minute. */
  request_count_days: 7,
  /** Numbers of offers by day, which the operator's home shows. */
  offer_days: 30,
  /** Merchants, files and webhooks that the operator's home lists, of each. */
  home_items_max: 10,
  /** The request log of an account keeps the last requests within both limits. */
  request_log_days: 7,
  request_log_requests_max: 10_000,
  /** How much of the body of a failed request is stored. */
  request_log_body_characters_max: 4096,
  /** How much of a failed request's path and query, and of each error's field and message, is stored. */
  request_log_url_characters_max: 500,
  request_log_error_characters_max: 500,
  /** How many errors of a failed request are stored. */
  request_log_errors_max: 20,
  request_log_page_default: 50,
  request_log_page_max: 200,

  /** Offers on a page of the portal's offer list. */
  offer_page_default: 50,
  offer_page_max: 200,
  /** Tools of the Model Context Protocol: entries of a page, characters of a result, and offers for which one call suggests fixes. */
  tool_page_default: 50,
  tool_page_max: 100,
  tool_result_characters_max: 200_000,
  tool_fixed_offers_max: 20,
  /** Maximum number of accounts that the operator's review backlog lists. */
  backlog_accounts_max: 200,
  offer_search_characters_max: 200,
  offer_search_words_max: 10,
  /** Maximum number of offers of a plan. */
  plan_offers_max: 1000,
  /** How long a plan can be applied. */
  plan_minutes: 60,
  /** Maximum size of what a plan shows and writes, as JSON. 1,000 changed prices have about 0.5 MB. */
  plan_bytes_max: 8_388_608,
  /** Maximum number of offers that one price change reads. It leaves out those that do not match, which may be most of them. */
  plan_examined_max: 20_000,
  /** Maximum number of plans that an account makes in an hour. */
  plans_per_hour_max: 100,
  /** Maximum number of plans that are kept, each of at most `plan_bytes_max`. */
  plans_kept_max: 200,

  /** Maximum number of offers that a person selects one by one for a change. */
  offers_per_change_max: 200,
  /** Maximum number of offers whose fixes a person applies at once. Each is reviewed again, which takes about a millisecond. */
  offers_fixed_max: 500,
  /** Maximum number of offers that the portal reads to find so many. */
  fixes_examined_max: 5_000,
  /** Maximum number of offers that one copy adds to the other environment. A dry run of so many takes a few seconds. */
  offers_per_copy_max: 1_000,
  /** Maximum number of offers that one copy reads. It skips those that the environment already has, which may be most of them. */
  copy_examined_max: 20_000,
  /** Bounds of the percentage by which a person changes the prices of many offers. */
  price_percent_min: -99,
  price_percent_max: 1000,

  /** Changes on a page of an offer's history. */
  history_page_default: 50,
  history_page_max: 200,

  /** How long events are kept in the change feed. */
  event_days: 30,
  /** Offers of a product that the storefront shows and ranks: those with the lowest totals, then the largest stocks. */
  storefront_offers_max: 1000,
  /** As above, for each product of a list. A list shows only the best offers. */
  storefront_listed_offers_max: 50,
  storefront_variations_max: 200,
  storefront_page_default: 20,
  storefront_page_max: 100,
  event_page_default: 100,
  event_page_max: 1000,
  event_wait_seconds_max: 30,
  /** Limits of events with their changes. The values of a page are those before and after each change. */
  event_changes_page_max: 100,
  event_changes_page_characters_max: 262_144,
  event_value_characters_max: 16_384,
  event_change_nodes_max: 50,
  /**
   * Maximum number of stock records of an offer that are read, from the first event of a page on, to find the quantities after its events.
   */
  event_stock_bytes_max: 131_072,
  /** Maximum number of requests of one account that wait for events at the same time; each worker of a server counts its own. */
  event_waits_max: 10,

  webhooks_max: 10,
  /** Maximum number of messages in flight to one webhook. */
  webhook_in_flight_max: 32,
  webhook_batch_events_max: 100,
  /** Maximum length of the events in a batch. A single event may be longer. */
  webhook_batch_bytes_max: 262_144,
  /** Failed messages are retried for this long; then the webhook is disabled. */
  webhook_retry_days: 3,
  webhook_overlap_seconds_max: 604_800,
  /** Maximum number of valid secrets of one webhook. Each adds a signature to every message. */
  webhook_secrets_max: 5,
  webhook_deliveries_max: 200,
  /** Maximum number of webhook changes per account; each worker of a server counts its own. Each change is an entry in the activity log. */
  webhook_changes_per_hour_max: 100,

  list_limit_default: 100,
  list_limit_max: 1000,

  token_lifetime_seconds: 36_000,
  requests_per_window_max: 3000,
  dry_runs_per_window_max: 30_000,
  /** The limit for all API keys of the marketplace in one environment. */
  marketplace_requests_per_window_max: 30_000,
  request_window_seconds: 60,
  /** Maximum number of wrong secrets within the window: for one user from one client, and from one client for all users. */
  token_failures_per_window_max: 20,
  token_failures_per_client_max: 100,
});
