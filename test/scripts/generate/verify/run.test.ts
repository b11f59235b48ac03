import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type CommandLine, createCommand } from '../../../../scripts/generate/command.ts'
import type { Interrupt } from '../../../../scripts/generate/interrupt.ts'
import { planOf } from '../../../../scripts/generate/plan.ts'
import { run } from '../../../../scripts/generate/run.ts'
import { startOrigin } from '../../../../scripts/origin/start-origin.ts'
import { sampleLines } from '../../../../src/embedded/sample-lines.ts'
import { parseSamplesQuery } from '../../../../src/embedded/samples-query.ts'
import { atEnd } from '../../scratch.ts'
import { decompressed } from '../decoded.ts'
import { type Got, startReceiver } from '../receiver.ts'

/** Runs the generator in this process. */
async function generate(...words: string[]) {
  const command = createCommand().parse(words, { from: 'user' })
  const plan = planOf(command.opts<CommandLine>(), {})
  let stdout = ''
  let stderr = ''
  const output = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  }
  const interrupt: Interrupt = { code: undefined, onFirst: () => {}, end: () => {} }
  const code = await run(plan, output, interrupt)
  return { code, stdout, stderr }
}

const SMALL = ['--series', '50', '--samples-per-request', '20', '--duration', '300ms', '--vus', '2']

interface Matrix {
  data: { result: { metric: Record<string, string>; values: [number, string][] }[] }
}

/** An origin, and one in front of it that answers queries with what `lie` makes of the answers, if it does not hang up. */
async function lyingOrigin(lie: (answer: Matrix, n: number) => unknown) {
  const origin = await startOrigin()
  atEnd(() => origin.stop())
  let n = 0
  const { url } = await startReceiver(async ({ path, body }, response) => {
    if (path !== '/prom/api/v1/query') return response.writeHead(404).end('nothing\n')
    const form = String(body)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`${origin.url}/api/v1/query`, {
      method: 'POST',
      headers,
      body: form,
    })
    const matrix = (await answer.json()) as Matrix
    // The first question is whether it answers at all.
    if (n++ > 0 && lie(matrix, n - 1) === 'hang up') return response.destroy()
    response.end(JSON.stringify(matrix))
  })
  return { write: `${origin.url}/api/v1/write`, verify: `${url}/prom/`, asked: () => n }
}

describe('a run that is verified by the API of Prometheus', () => {
  const verified = async (lie: (answer: Matrix, n: number) => unknown, wait = '0') => {
    const { write, verify, asked } = await lyingOrigin(lie)
    const json = ['--json', '--verify', verify, '--verify-wait', wait]
    const { code, stdout } = await generate('--url', write, ...SMALL, ...json)
    return { code, asked: asked(), ...JSON.parse(stdout) }
  }

  test('is well where all is there', async () => {
    const { code, verify, samples } = await verified(() => {})
    expect(code).toBe(0)
    expect(verify).toMatchObject({ ok: true, acknowledged: samples, found: samples })
    expect(samples).toBeGreaterThan(100)
  })

  test('finds what is lost', async () => {
    const { code, verify } = await verified(({ data }) => data.result[3]!.values.shift())
    expect([code, verify.ok]).toEqual([1, false])
    expect(verify.totals).toEqual({ lost: 1, doubled: 0, changed: 0, unsent: 0 })
    expect(verify.listed).toEqual([
      {
        kind: 'lost',
        labels: expect.objectContaining({ generate_run: verify.run }),
        timestamp: expect.any(Number),
        sent: expect.any(Number),
      },
    ])
  })

  test('finds what is doubled', async () => {
    const { code, verify } = await verified(({ data }) => {
      const { values } = data.result[5]!
      values.push(values[0]!)
    })
    expect([code, verify.totals.doubled, verify.listed.length]).toEqual([1, 1, 1])
  })

  test('finds what is changed', async () => {
    const { code, verify } = await verified(({ data }) => {
      data.result[7]!.values[1]![1] = '0.5'
    })
    expect(code).toBe(1)
    expect(verify.totals).toEqual({ lost: 0, doubled: 0, changed: 1, unsent: 0 })
    expect(verify.listed).toMatchObject([{ kind: 'changed', found: '0.5' }])
  })

  test('waits for what is still on its way', async () => {
    const { code, asked, verify } = await verified(({ data }, n) => {
      if (n < 3) data.result.splice(n)
    }, '20s')
    expect([code, asked, verify.ok]).toEqual([0, 4, true])
  })

  test('says so where it can not be asked', async () => {
    const { code, verify } = await verified(() => 'hang up')
    expect(code).toBe(1)
    expect(verify).toMatchObject({ ok: false, problem: expect.stringContaining('no answer') })
  })

  test('prints what is wrong for people', async () => {
    const { write, verify } = await lyingOrigin(({ data }) => data.result[0]!.values.shift())
    const given = ['--url', write, ...SMALL, '--verify', verify, '--verify-wait', '0']
    const { code, stdout, stderr } = await generate(...given)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ {2}acknowledged {2}/m)
    expect(stdout).toContain('  1 lost, 0 doubled, 0 changed, 0 unsent\n')
    expect(stdout).toMatch(
      /^ {2}lost {4}node_\w+\{.*generate_series="\d+".*\} at 20.*Z: sent \d+$/m,
    )
    expect(stderr).toMatch(/Asking .* for generate_run="[0-9a-f]{8}"/)
  })

  test('asks in pieces where there is much', async () => {
    const { write, verify, asked } = await lyingOrigin(() => {})
    const much = ['--series', '2500', '--samples-per-request', '500', '--rate', '400000']
    const given = ['--url', write, ...much, '--duration', '1s', '--verify', verify, '--json']
    const { code, stdout } = await generate(...given)
    const { verify: outcome, samples } = JSON.parse(stdout)
    expect([code, outcome.found]).toEqual([0, samples])
    expect(asked()).toBeGreaterThanOrEqual(1 + 3)
  })
})

describe('what the receiver refused', () => {
  test('is not asked for', async () => {
    const origin = await startOrigin()
    atEnd(() => origin.stop())
    let n = 0
    const { url } = await startReceiver(async ({ path, body, headers }, response) => {
      if (n++ % 2 === 0) return response.writeHead(503).end('busy\x1b[31m\nnow')
      const passed = { ...headers } as Record<string, string>
      delete passed.host
      delete passed.connection
      delete passed['content-length']
      const init = { method: 'POST', headers: passed, body: new Uint8Array(body) }
      response.writeHead((await fetch(`${origin.url}${path}`, init)).status).end()
    })
    const given = ['--url', `${url}/api/v1/write`, ...SMALL, '--verify', origin.url, '--json']
    const { code, stdout } = await generate(...given)
    const { acknowledged, samples, verify, statuses, firstError } = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(acknowledged.samples).toBeLessThan(samples)
    expect(verify).toMatchObject({ ok: true, acknowledged: acknowledged.samples })
    expect(statuses[503]).toBeGreaterThan(1)
    expect(firstError).toBe('503 busy [31m now')
  })

  test('wholly is an exit status of 1', async () => {
    const { url } = await startReceiver((_, response) =>
      response.writeHead(404).end('no such path'),
    )
    const { code, stdout } = await generate('--url', url, ...SMALL)
    expect(code).toBe(1)
    expect(stdout).toContain('first error   404 no such path')
  })
})

describe('a run that is verified by the embedded origin', () => {
  /** Stands for Sluice: stores what comes, after `change`, and lists it as Sluice does. */
  async function embedded(change: (body: Buffer, n: number) => readonly Buffer[]) {
    const stored: Buffer[] = [Buffer.from('not decoded: it was there before')]
    let n = 0
    const { url } = await startReceiver(({ path, body, method }: Got, response) => {
      if (method === 'POST') {
        stored.push(...change(body, n++))
        return response.writeHead(204).end()
      }
      const query = parseSamplesQuery(new URL(path, 'http://x').searchParams)
      if (typeof query === 'string') return response.writeHead(400).end()
      const after = query.after === 'newest' ? stored.length : query.after
      const page = stored
        .map((body, i) => ({ id: i + 1, begins: i + 1, body }))
        .slice(after, query.after === 'newest' ? after : after + 2)
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      const decode = (body: Uint8Array) => decompressed('snappy', body)
      for (const line of sampleLines(page, decode, query, after)) response.write(line)
      response.end()
    })
    const given = ['--url', `${url}/api/v1/write`, ...SMALL, '--json', '--verify', url]
    const { code, stdout } = await generate(...given, '--verify-wait', '0')
    return { code, ...JSON.parse(stdout) }
  }

  test('is well where all is there, page after page', async () => {
    const { code, verify, samples } = await embedded((body) => [body])
    expect([code, verify.found, verify.problem]).toEqual([0, samples, undefined])
  })

  test('finds a request that was lost', async () => {
    const { code, verify } = await embedded((body, n) => (n === 1 ? [] : [body]))
    expect([code, verify.totals]).toEqual([1, { lost: 20, doubled: 0, changed: 0, unsent: 0 }])
  })

  test('finds a request that was doubled', async () => {
    const { code, verify } = await embedded((body, n) => (n === 2 ? [body, body] : [body]))
    expect([code, verify.totals]).toEqual([1, { lost: 0, doubled: 10, changed: 0, unsent: 0 }])
  })

  test('says so where what is stored can not be read', async () => {
    const { code, verify } = await embedded((body, n) => (n === 3 ? [body.subarray(9)] : [body]))
    expect([code, verify.ok]).toEqual([1, false])
    expect(verify.problem).toContain("the embedded origin can't read what it stored")
  })
})

describe('before anything is sent', () => {
  const refused = async (status: number, text: string) => {
    const sent: string[] = []
    const { url } = await startReceiver(({ path }, response) => {
      sent.push(path)
      response.writeHead(status).end(text)
    })
    const given = ['--url', `${url}/api/v1/write`, ...SMALL, '--verify', url]
    const message = await generate(...given).catch(
      (error: Error) => `${error.name} ${error.message}`,
    )
    expect(sent).not.toContain('/api/v1/write')
    return message
  }

  test.each([
    [401, 'who are you', 'it answers 401: say who asks with --verify-bearer-env'],
    [
      404,
      '{"error":"the config does not forward to the embedded origin"}',
      'forwards to other origins only',
    ],
    [
      404,
      'nothing',
      'neither the API of Prometheus nor the embedded origin of Sluice: /api/v1/query answered 404: nothing',
    ],
    [200, '<html>login', 'neither the API of Prometheus'],
  ])('a receiver that answers %i %s can not be asked', async (status, text, message) => {
    expect(await refused(status, text)).toContain(`OptionProblem --verify: `)
    expect(await refused(status, text)).toContain(message)
  })
})

test('zstd bodies come as they are sent', async () => {
  const lengths: number[] = []
  const { url } = await startReceiver(({ body }, response) => {
    lengths.push(zstdDecompressSync(body).length)
    response.writeHead(204).end()
  })
  const { stdout } = await generate('--url', url, ...SMALL, '--encoding', 'zstd', '--json')
  const { bytes, requests } = JSON.parse(stdout)
  expect([lengths.length, lengths.reduce((a, b) => a + b)]).toEqual([requests, bytes.raw])
})
