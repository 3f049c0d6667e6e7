/** Serves a number of different images in a separate process; they are drawn before the first request. */
import { createServer } from 'node:http';
import sharp from 'sharp';

const count = Number(process.argv[2]);
const images = await Promise.all(Array.from({ length: count }, (_, number) => drawImage(number)));

const server = createServer((request, response) => {
  const image = images[Number(/^\/(\d+)\.jpg$/.exec(request.url ?? '')?.[1])];
  response.writeHead(image === undefined ? 404 : 200, { 'content-type': 'image/jpeg' }).end(image);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The image server has no port.');
  console.log(`API   http://127.0.0.1:${address.port}`);
});

/** Draws a box on white, in its own color and size. */
function drawImage(number: number): Promise<Buffer> {
  const [width, height] = [140 + (number % 100) * 2, 160 + (number % 37) * 5];
  const box = `<rect x="60" y="50" width="${width}" height="${height}" rx="20" fill="hsl(${number % 360},60%,40%)"/>`;
  const lid = `<rect x="50" y="40" width="${width + 20}" height="30" fill="hsl(${(number * 7) % 360},50%,30%)"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"><rect width="500" height="500" fill="#fff"/>${box}${lid}</svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().jpeg({ quality: 80 }).toBuffer();
}
