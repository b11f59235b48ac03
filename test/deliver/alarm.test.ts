import { expect, test } from 'vitest'
import { alarmAfter } from '../../src/deliver/alarm.ts'
import { virtualTime } from './virtual-time.ts'

test('it fires when time is up', async () => {
  const time = virtualTime()
  const alarm = alarmAfter(100, time.sleep)
  await time.run(time.wait(99))
  expect(alarm.signal.aborted).toBe(false)
  await time.run(time.wait(2))
  expect(alarm.signal.aborted).toBe(true)
})

test('once stopped it never fires and nobody sleeps', async () => {
  const time = virtualTime()
  const alarm = alarmAfter(100, time.sleep)
  alarm.stop()
  expect(time.pending()).toBe(0)
  await time.run(time.wait(1000))
  expect(alarm.signal.aborted).toBe(false)
})

test('it fires with its parent, before and after it was set', () => {
  const time = virtualTime()
  const parent = new AbortController()
  const alarm = alarmAfter(100, time.sleep, parent.signal)
  parent.abort()
  expect(alarm.signal.aborted).toBe(true)
  expect(alarmAfter(100, time.sleep, parent.signal).signal.aborted).toBe(true)
})

test('a race goes to the work when that is faster', async () => {
  const time = virtualTime()
  const alarm = alarmAfter(100, time.sleep)
  const work = time.wait(50).then(() => 'done')
  expect(await time.run(alarm.race(work))).toBe('done')
  await expect(alarm.race(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('a race that is lost hands what comes late to whoever clears up', async () => {
  const time = virtualTime()
  const alarm = alarmAfter(100, time.sleep)
  const late: string[] = []
  const work = time.wait(200).then(() => 'late')
  const race = alarm.race(work, (value) => void late.push(value))
  await expect(time.run(race)).rejects.toMatchObject({ name: 'AbortError' })
  await time.run(work)
  expect(late).toEqual(['late'])
})

test('work that fails after a lost race is nobody’s unhandled rejection', async () => {
  const time = virtualTime()
  const alarm = alarmAfter(100, time.sleep)
  const work = time.wait(200).then(() => Promise.reject(new Error('late')))
  await expect(time.run(alarm.race(work))).rejects.toMatchObject({ name: 'AbortError' })
  await time.run(time.wait(300))
})
