// Builds the portal and nothing else: for a server that was installed without the packages of development. Plain JavaScript
// without dependencies, as the setup.

import { buildPortal, isPortalBuilt } from './portal-build.mjs';

if (isPortalBuilt()) console.error('The portal is built.');
else if (!buildPortal((line) => console.error(line))) process.exitCode = 1;
