/** In charge of the limits: every bound of the contract and of its decisions, with the unit in the name. */

export const LIMITS = Object.freeze({
  body_bytes_max: 1_048_576,
  /** Of calls that need no credentials: `/token`, and signing in to the portal. */
  open_body_bytes_max: 8192,
  body_depth_max: 32,
  /** Commas and opening brackets outside of texts; 1 MiB of the shortest shipping exceptions has 48,400. */
  body_values_max: 50_000,
  /** A SKU, the largest, has 42; a name that V8 has not seen before takes it about a microsecond. */
  object_fields_max: 1000,

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
  /** Text for which the contract names no limit. */
  text_characters_max: 2000,
  /** Legal text and ingredient lists, which are long by nature. */
  long_text_characters_max: 10_000,

  amount_min: 0.01,
  amount_max: 1_000_000_000,
  count_max: 2_147_483_647,

  fulfillment_nodes_max: 1000,
  shipping_exceptions_per_node_max: 100,
  return_location_ids_max: 100,
  children_skus_max: 2000,
  variation_refinements_max: 20,
  /** Of the shoes that form one group, the review lists so many. */
  shoe_group_listed_max: 1000,

  merchant_id_characters_max: 64,
  merchant_name_characters_max: 100,
  /** Ids of fulfillment nodes and return locations. */
  place_id_characters_max: 64,
  fulfillment_nodes_per_account_max: 1000,
  return_locations_per_account_max: 1000,
  credential_overlap_seconds_max: 2_592_000,
  email_characters_max: 254,
  /** Links by which portal users set a password. */
  one_time_link_seconds: 86_400,
  password_characters_min: 12,
  password_characters_max: 200,
  link_token_characters_max: 100,
  /** A session of the portal ends when it was not used for so long, */
  session_idle_seconds: 28_800,
  /** and so long after its beginning in any case. */
  session_lifetime_seconds: 604_800,
  /** Its token is replaced after so long, and the old one goes on working for a while. */
  session_rotation_seconds: 1800,
  session_overlap_seconds: 60,
  sessions_per_user_max: 50,
  portal_requests_per_window_max: 600,
  /** Made-up tokens of sessions that are looked up, from one client: an address of IPv4, a network of 64 bits of IPv6. */
  session_misses_per_window_max: 600,
  /** Wrong passwords within the window: of one user from one client, of one user, from one client. */
  sign_in_window_seconds: 900,
  sign_in_failures_max: 10,
  sign_in_failures_per_user_max: 100,
  sign_in_failures_per_client_max: 60,
  act_detail_characters_max: 500,
  act_retention_days: 730,
  /** That a restriction of a brand is granted to in one go. */
  policy_merchants_max: 1000,
  placeholder_note_characters_max: 255,
  placeholder_image_bytes_max: 10_485_760,
  /** How long a running server may take to see a change of the setup. */
  setup_notice_seconds_max: 2,

  taxonomy_file_bytes_max: 16_777_216,
  taxonomy_nodes_max: 50_000,
  /** A department is the first level. */
  taxonomy_levels_max: 10,
  taxonomy_name_characters_max: 200,
  taxonomy_attributes_max: 5000,
  taxonomy_attribute_values_max: 1000,
  taxonomy_attribute_units_max: 50,
  taxonomy_unit_characters_max: 20,
  taxonomy_search_characters_max: 200,
  taxonomy_search_words_max: 10,
  taxonomy_search_limit_default: 20,
  taxonomy_search_limit_max: 100,
  /** Of a preview: nodes of each kind of change, and problems of the file. */
  taxonomy_samples_max: 50,
  taxonomy_problems_shown_max: 100,

  /** Addresses that need no token: uploads, and downloads of errors, rows to retry and reports. */
  signed_link_seconds: 1800,
  file_name_characters_max: 255,
  /** Files, with their records and all that belongs to them, and records of reports. */
  file_retention_days: 30,
  report_lifetime_days: 7,
  /** From the call for an address; then an upload can no longer be handed over, and goes. */
  upload_lifetime_days: 1,
  /** Of an account, not made yet. */
  reports_waiting_max: 5,
  /** Of an account, under way at once. */
  uploads_at_once_max: 10,

  /** Between looks at an image that are asked for. */
  image_check_pause_seconds: 10,

  /** Counts of requests by minute. */
  request_count_days: 7,

  /** The list of offers in the portal. */
  offer_page_default: 50,
  offer_page_max: 200,
  offer_search_characters_max: 200,
  offer_search_words_max: 10,
  /** That a person archives or unarchives at once. */
  offers_per_change_max: 200,

  /** The history of an offer in the portal. */
  history_page_default: 50,
  history_page_max: 200,

  list_limit_default: 100,
  list_limit_max: 1000,

  token_lifetime_seconds: 36_000,
  requests_per_window_max: 3000,
  request_window_seconds: 60,
  /** Wrong secrets within the window: of one user from one client, and from one client over all users. */
  token_failures_per_window_max: 20,
  token_failures_per_client_max: 100,
});
