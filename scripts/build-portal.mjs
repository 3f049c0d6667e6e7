// Builds only the pages of the portal and the documentation, for a server that was installed without development packages.
// It is plain JavaScript without dependencies, like the setup.

import { linkPackagedNode } from './packaged-node.mjs';
import { arePagesBuilt, buildPages } from './pages-build.mjs';

// The systemd unit and the offerbook command start this Node.js.
linkPackagedNode();

if (arePagesBuilt()) console.error('The portal and the documentation are built.');
else if (!buildPages((line) => console.error(line))) process.exitCode = 1;
