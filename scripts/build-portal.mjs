// Builds the portal only, for a server that was installed without development packages. Plain JavaScript without dependencies,
// like setup.mjs.

import { buildPortal, isPortalBuilt } from './portal-build.mjs';

if (isPortalBuilt()) console.error('The portal is built.');
else if (!buildPortal((line) => console.error(line))) process.exitCode = 1;
