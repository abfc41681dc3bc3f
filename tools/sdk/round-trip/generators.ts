import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Run = (command: string, args: readonly string[], cwd?: string) => string
type Work = { document: string; folder: string; run: Run; copy: (program: string, to: string) => void }
type Trip = (work: Work) => string
type Generator = {
  /** Programs, and settings in capitals, without which it is skipped. */
  tools: readonly string[]
  generate: (work: Work) => void
  /** Compiles a small program with the client and runs it; gives what it wrote. Absent where nothing here can. */
  makeTrip?: Trip
}

/** Options that a developer gives too: see docs/erp-developer/clients.md. */
const PYTHON_CLIENT = join(import.meta.dirname, 'openapi-python-client.yaml')
const OAPI_CODEGEN = join(import.meta.dirname, 'oapi-codegen.yaml')
const CSHARP = join(import.meta.dirname, 'csharp.yaml')
const GO = 'module example.in/client\n\ngo 1.24\n'

function openapiGenerator(language: string, options: readonly string[] = []): Generator['generate'] {
  return ({ document, folder, run }) => {
    const jar = process.env['OPENAPI_GENERATOR_JAR'] ?? ''
    const without = '--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
    const output = ['-i', document, '-o', join(folder, 'client')]
    run('java', ['-jar', jar, 'generate', '-g', language, ...output, without, ...options])
  }
}

/** Type-checked, then run as it is. */
function runTypeScript(program: string): Trip {
  return ({ folder, run, copy }) => {
    copy(program, 'main.ts')
    const compilerOptions = {
      strict: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      skipLibCheck: true,
      types: [],
      outDir: 'out',
      rootDir: '.',
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.ts'] }))
    run('tsc', ['-p', folder])
    return run('node', ['--import', resolver(), join(folder, 'out/main.js')])
  }
}

/** Generated code imports without extensions, as bundlers have it. */
function resolver(): string {
  const hook = `import { registerHooks } from 'node:module'
registerHooks({ resolve(specifier, context, next) {
  if (!specifier.startsWith('.')) return next(specifier, context)
  for (const end of ['', '.js', '/index.js']) try { return next(specifier + end, context) } catch {}
  return next(specifier, context)
} })`
  return `data:text/javascript,${encodeURIComponent(hook)}`
}

function runPython(program: string, packages: (folder: string) => readonly string[]): Trip {
  return ({ folder, run, copy }) => {
    copy(program, 'main.py')
    run('python3', ['-m', 'venv', '.venv'])
    run(join(folder, '.venv/bin/pip'), ['install', '-q', ...packages(folder)])
    return run(join(folder, '.venv/bin/python'), ['main.py'])
  }
}

export const GENERATORS: Readonly<Record<string, Generator>> = {
  'hey-api': {
    tools: ['openapi-ts', 'tsc'],
    generate: ({ document, folder, run }) => {
      run('openapi-ts', ['-i', document, '-o', join(folder, 'client')])
    },
    makeTrip: runTypeScript('hey-api.ts'),
  },
  'openapi-generator-typescript': {
    tools: ['java', 'OPENAPI_GENERATOR_JAR', 'tsc'],
    generate: openapiGenerator('typescript-fetch'),
    makeTrip: runTypeScript('openapi-generator-typescript.ts'),
  },
  'openapi-python-client': {
    tools: ['openapi-python-client', 'python3'],
    generate: ({ document, folder, run }) => {
      const output = ['--output-path', join(folder, 'bursar_client'), '--meta', 'none']
      const said = run('openapi-python-client', [
        'generate',
        '--path',
        document,
        '--config',
        PYTHON_CLIENT,
        ...output,
      ])
      if (said.includes('WARNING')) throw new Error(said)
    },
    makeTrip: runPython('openapi-python-client.py', () => ['httpx', 'attrs', 'python-dateutil']),
  },
  'openapi-generator-python': {
    tools: ['java', 'OPENAPI_GENERATOR_JAR', 'python3'],
    generate: openapiGenerator('python', [
      '--additional-properties=disallowAdditionalPropertiesIfNotPresent=false',
    ]),
    makeTrip: runPython('openapi-generator-python.py', folder => [join(folder, 'client')]),
  },
  'oapi-codegen': {
    tools: ['oapi-codegen', 'go'],
    generate: ({ document, folder, run, copy }) => {
      writeFileSync(join(folder, 'go.mod'), GO)
      copy('oapi-codegen.go', 'main.go')
      run('mkdir', ['bursar'])
      run('oapi-codegen', ['-config', OAPI_CODEGEN, '-o', join(folder, 'bursar/client.go'), document])
    },
    makeTrip: ({ run }) => {
      run('go', ['mod', 'tidy'])
      return run('go', ['run', '.'])
    },
  },
  'openapi-generator-go': {
    tools: ['java', 'OPENAPI_GENERATOR_JAR', 'go'],
    generate: openapiGenerator('go', [
      '--additional-properties=disallowAdditionalPropertiesIfNotPresent=false',
    ]),
    makeTrip: ({ folder, run, copy }) => {
      const client = join(folder, 'client')
      const module = readFileSync(join(client, 'go.mod'), 'utf8')
      writeFileSync(join(client, 'go.mod'), module.replace(/^module .*$/m, 'module example.in/client'))
      run('mkdir', ['-p', join(client, 'trip')])
      copy('openapi-generator-go.go', 'client/trip/main.go')
      run('go', ['mod', 'tidy'], client)
      return run('go', ['run', './trip'], client)
    },
  },
  'openapi-generator-java': {
    tools: ['java', 'OPENAPI_GENERATOR_JAR', 'mvn'],
    generate: openapiGenerator('java', [
      '--library=native',
      '--additional-properties=disallowAdditionalPropertiesIfNotPresent=false,enumUnknownDefaultCase=true',
    ]),
    makeTrip: ({ folder, run, copy }) => {
      const client = join(folder, 'client')
      copy('OpenapiGeneratorJava.java', 'client/src/main/java/OpenapiGeneratorJava.java')
      run(
        'mvn',
        ['-q', '-B', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath', '-DskipTests'],
        client,
      )
      const classpath = readFileSync(join(client, 'classpath'), 'utf8').trim()
      return run('java', ['-cp', `target/classes:${classpath}`, 'OpenapiGeneratorJava'], client)
    },
  },
  'openapi-generator-php': {
    tools: ['java', 'OPENAPI_GENERATOR_JAR', 'php', 'composer'],
    generate: openapiGenerator('php'),
    makeTrip: ({ folder, run, copy }) => {
      const client = join(folder, 'client')
      run('composer', ['install', '-q', '--no-dev', '--no-interaction'], client)
      copy('openapi-generator-php.php', 'client/main.php')
      return run('php', ['main.php'], client)
    },
  },
  'openapi-generator-csharp': {
    tools: ['java', 'OPENAPI_GENERATOR_JAR'],
    generate: openapiGenerator('csharp', ['-c', CSHARP]),
  },
}
