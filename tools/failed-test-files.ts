import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/**
 * A reporter that names each file with a failed test, so that they can be run once more by themselves. A lane names its
 * tests by their files; a test that a helper declares stands in the helper's file.
 */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const named = new Set<string>()
  for await (const event of events) {
    if (event.type !== 'test:fail') continue
    for (const path of [event.data.name, event.data.file?.split('?')[0]]) {
      if (path === undefined || !/\.(test|slow|long)\.ts$/.test(path)) continue
      const file = relative(process.cwd(), path)
      if (named.has(file)) continue
      named.add(file)
      yield `${file}\n`
    }
  }
}
