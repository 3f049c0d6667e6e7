# The server with what it needs to run and nothing else: no compiler, no package manager of its own, no root.
#   docker build -t offerbook . && docker run --rm offerbook --help
# compose.yaml shows it with PostgreSQL. Without DATABASE_URL it keeps its data in the volume /data.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# No package that a server needs has an install script. The packaged Node.js is for machines with an older one.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-slim AS portal
WORKDIR /app
COPY portal portal
# Words of the contract stand once, with the server.
COPY src src
RUN cd portal && npm ci --no-audit --no-fund && npm run build

FROM node:24-slim AS site
WORKDIR /app
COPY site site
COPY docs docs
# Names that pages fill in stand once, with the server.
COPY src src
RUN cd site && npm ci --no-audit --no-fund && npm run build

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY scripts/packaged-node.mjs scripts/packaged-node.mjs
COPY src src
# The demo uploads its offers as a merchant's program does.
COPY client/src client/src
COPY --from=portal /app/portal/dist portal/dist
COPY --from=site /app/site/dist site/dist
RUN install -d -o node -g node -m 0700 /data && ln -s /app/bin/offerbook.mjs /usr/local/bin/offerbook
USER node
VOLUME /data
EXPOSE 8080
# No HEALTHCHECK: whether there is an address to ask, and by which protocol, is a matter of the role and the settings.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=60", "/app/bin/offerbook.mjs"]
CMD ["serve"]
