/** Lists all metrics with type, labels and help; the metrics page and docs/operate/metrics.md are generated from it. */

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
}

function metric(name: string, type: MetricType, labels: readonly string[], help: string): Metric {
  return { name, type, labels, help };
}

export const METRICS = Object.freeze({
  build: metric(
    'offerbook_build_info',
    'gauge',
    ['version', 'node'],
    'Always 1; the labels are the versions of Offerbook and Node.',
  ),
  requests: metric(
    'offerbook_http_requests_total',
    'counter',
    ['method', 'route', 'status'],
    'Completed requests by route pattern. Route `unknown`: no such path or method; `unreadable`: not valid HTTP.',
  ),
  duration: metric(
    'offerbook_http_request_seconds',
    'histogram',
    ['method', 'route'],
    'Time from the arrival of the request headers until the response is passed to the operating system.',
  ),
  connections: metric('offerbook_http_connections', 'gauge', [], 'Open client connections.'),
  limits: metric(
    'offerbook_limits_hit_total',
    'counter',
    ['limit'],
    'How often a limit was reached: rate, login, body, bodies, headers, time, connections, disk, files_room, load.',
  ),
  events: metric(
    'offerbook_events_total',
    'counter',
    ['event'],
    'How often each other event happened; see the events table.',
  ),
  commitWrites: metric('offerbook_store_commit_writes', 'histogram', [], 'Writes per commit (one disk flush each).'),
  waiting: metric(
    'offerbook_store_waiting',
    'gauge',
    ['queue'],
    'Pending database calls: writes, and lists (including group members).',
  ),
  oldestWait: metric(
    'offerbook_store_oldest_wait_seconds',
    'gauge',
    ['queue'],
    'Wait time of the oldest pending call; 0 if none.',
  ),
  storeBytes: metric(
    'offerbook_store_bytes',
    'gauge',
    [],
    'Size of the database on disk, including its write-ahead log.',
  ),
  workDue: metric(
    'offerbook_work_due',
    'gauge',
    ['kind'],
    'Accounts with due background work that no process has leased, across all processes; absent while the database does not respond.',
  ),
  workOldest: metric(
    'offerbook_work_oldest_due_seconds',
    'gauge',
    ['kind'],
    'Time since the oldest of this work became due; 0 if none.',
  ),
  reviewDue: metric(
    'offerbook_review_due_offers',
    'gauge',
    [],
    'Offers due for review, across all processes; absent while the database does not respond.',
  ),
  reviewOldest: metric(
    'offerbook_review_oldest_due_seconds',
    'gauge',
    [],
    'Time since the oldest of these offers became due; 0 if none.',
  ),
  reviewMissing: metric(
    'offerbook_review_accounts_missing',
    'gauge',
    [],
    'Accounts missing in the two metrics above because their database node does not respond.',
  ),
  reviewVerdicts: metric(
    'offerbook_review_verdicts_total',
    'counter',
    ['status'],
    'Offers reviewed by this process, by resulting status.',
  ),
  imagesWaiting: metric(
    'offerbook_images_waiting',
    'gauge',
    [],
    'Images in the download queue, across all processes, including those waiting for a retry.',
  ),
  imagesOldest: metric(
    'offerbook_images_oldest_wait_seconds',
    'gauge',
    [],
    'Wait time of the oldest image that was never tried; 0 if none.',
  ),
  imageFetches: metric(
    'offerbook_image_fetch_seconds',
    'histogram',
    ['outcome'],
    'Duration of image downloads by this process, by outcome: fetched, unchanged, failed.',
  ),
  ready: metric('offerbook_ready', 'gauge', [], '1 if the database responds, else 0; the same as `/readyz`.'),
  certificateEnd: metric(
    'offerbook_tls_certificate_end_seconds',
    'gauge',
    [],
    'Expiry of the certificate in TLS_CERT, in Unix time; absent without one.',
  ),
  cpuSeconds: metric('process_cpu_seconds_total', 'counter', [], 'User and system CPU time.'),
  residentBytes: metric('process_resident_memory_bytes', 'gauge', [], 'Resident memory.'),
  startSeconds: metric('process_start_time_seconds', 'gauge', [], 'Start time of the process, in Unix time.'),
  heapBytes: metric('nodejs_heap_size_used_bytes', 'gauge', [], 'Used JavaScript heap.'),
  externalBytes: metric('nodejs_external_memory_bytes', 'gauge', [], 'Memory of buffers outside the JavaScript heap.'),
  loopUtilization: metric(
    'nodejs_eventloop_utilization_ratio',
    'gauge',
    [],
    'Share of time, from 0 to 1, that the request thread was busy since the last scrape.',
  ),
  threadPause: metric(
    'offerbook_request_thread_pause_seconds',
    'gauge',
    [],
    'Longest time the request thread was blocked since the last scrape.',
  ),
  loopDelay: metric(
    'nodejs_eventloop_delay_seconds',
    'gauge',
    ['quantile'],
    'Event loop delay of the request thread since the last scrape: quantiles 0.5 and 0.99.',
  ),
});
