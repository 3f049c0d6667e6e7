/** In charge of the build: from src/ to dist/, which the server serves at /portal/. */
import { createReadStream, createWriteStream, globSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Addresses in the page are relative, so that it works under any path; `<base>` says which. */
export default defineConfig({
  base: './',
  plugins: [react(), compressed()],
  // The packages for spreadsheets would start workers from blob: addresses, which the page's policy forbids.
  resolve: {
    alias: [{ find: /^fflate$/, replacement: path.join(import.meta.dirname, 'src/api/sheets/zip-without-workers.ts') }],
  },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    target: 'es2023',
    // A small file inside a stylesheet would be a data: address, which the page's policy allows for images alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Of the first load; a test holds the sum of what it brings, compressed, to its limit.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/portal/api': 'http://127.0.0.1:8080', '/files': 'http://127.0.0.1:8080' } },
});

/** Writes a `.gz` beside what compresses well, so that the server need not compress anything. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    enforce: 'post',
    async writeBundle({ dir = 'dist' }) {
      const files = globSync('assets/*.{js,css,svg}', { cwd: dir }).map((file) => path.join(dir, file));
      await Promise.all(
        files.map((file) =>
          pipeline(createReadStream(file), createGzip({ level: 9 }), createWriteStream(`${file}.gz`)),
        ),
      );
    },
  };
}
