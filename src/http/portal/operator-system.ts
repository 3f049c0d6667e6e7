/** GET /system and GET /acts: health and activity log, for operators. */
import type { PortalEndpoint } from '../endpoint.ts';
import { actsEndpoint } from './acts.ts';
import { systemEndpoint } from './system.ts';

export const operatorSystemEndpoints: readonly PortalEndpoint[] = [systemEndpoint, actsEndpoint];
