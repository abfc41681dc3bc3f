import { countStatements } from '../test/harness/statement-count.ts'

/** Imported before Bursar: whoever started the process can ask it what it has sent to the database. */
const sent = countStatements()
process.on('message', () => process.send?.(sent))
process.channel?.unref()
