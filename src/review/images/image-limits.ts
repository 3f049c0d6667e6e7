/** In charge of the limits within which pictures are fetched and judged. The area and sides are those of the contract. */
export const IMAGE_LIMITS = Object.freeze({
  fetch_ms_max: 10_000,
  redirects_max: 3,
  body_bytes_max: 20_000_000,
  header_bytes_max: 16_384,
  address_characters_max: 2_048,
  etag_characters_max: 256,
  /** Per host name, whatever its port. */
  connections_per_host_max: 4,
  /** Per merchant account, over all processes: half of one process, so that others find a place however many hosts it has. */
  looks_per_account_max: 16,
  /** In all. A body stays in memory until it is judged: 32 of 20 MB are the most that can be held. */
  connections_max: 32,
  resolved_addresses_max: 16,

  area_pixels_min: 40_000,
  longer_side_pixels_min: 200,
  shorter_side_pixels_min: 100,
  /** A camera's 50 megapixels. Decoders that need the whole picture at once (progressive JPEG) take some 300 MB for it. */
  pixels_max: 50_000_000,
  /** Half of the threads in Node's pool, so that decoding leaves some to password hashing and files. */
  judged_at_once_max: 2,
  decode_seconds_max: 10,
  /** Some decoders do not heed the limit above. They cannot be stopped: one that takes this long is left to itself. */
  judge_ms_max: 12_000,
  /** Of Node's four, decoders left to themselves counted: one is kept for others whatever becomes of them. */
  judge_threads_max: 3,
  /** 10 are usual. 883 in a file of 60 KB kept the decoder busy for 3 s over 16 megapixels, and its time limit did not end it. */
  jpeg_scans_max: 100,
});
