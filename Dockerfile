# Builds an image with only what the server needs to run: no compiler, no build packages, no root user.
#   docker build -t offerbook . && docker run --rm offerbook --help
# compose.yaml runs it with PostgreSQL. Without DATABASE_URL, the server keeps its data in the volume /data.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# No package that the server needs has an install script. The packaged Node.js is removed, because the image has a new enough one.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-slim AS portal
WORKDIR /app
COPY portal portal
# The portal imports the names of the contract from the server's sources.
COPY src src
RUN cd portal && npm ci --no-audit --no-fund && npm run build

FROM node:24-slim AS site
WORKDIR /app
COPY site site
COPY CHANGELOG.md ./
COPY docs docs
# The build of the documentation imports names from the server's sources.
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
# The demo uploads its offers with the client package.
COPY client/src client/src
COPY --from=portal /app/portal/dist portal/dist
COPY --from=site /app/site/dist site/dist
RUN install -d -o node -g node -m 0700 /data && ln -s /app/bin/offerbook.mjs /usr/local/bin/offerbook
USER node
VOLUME /data
EXPOSE 8080
# There is no HEALTHCHECK, because the role and the settings decide whether the server has a port, and whether it uses TLS.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=60", "/app/bin/offerbook.mjs"]
CMD ["serve"]
