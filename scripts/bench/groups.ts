import { caseGroup } from './case-group.ts'
import { executeCases } from './cases/execute.ts'
import { generateCases } from './cases/generate.ts'
import { heapCases } from './cases/heap.ts'
import { otlpCases, otlpStageCases } from './cases/otlp.ts'
import { pushCases } from './cases/push.ts'
import { receiveCases } from './cases/receive.ts'
import { remoteWrite1Cases } from './cases/remotewrite1.ts'
import { remoteWrite2Cases } from './cases/remotewrite2.ts'
import { requestCases } from './cases/request.ts'
import { seriesOfCases } from './cases/series-of.ts'
import { stageCases } from './cases/stages.ts'
import {
  heapGoals,
  otlpGoals,
  remoteWrite1Goals,
  remoteWrite2Goals,
  seriesOfGoals,
} from './goals.ts'
import { type Group, onLinux } from './group.ts'
import { payloadSizeGroup } from './payload-size.ts'
import { activeSeriesGroup } from './proxy/active-series.ts'
import { connectionsGroup } from './proxy/connections.ts'
import { firstRequestGroup } from './proxy/first-request.ts'
import { largeValuesGroup } from './proxy/large-values.ts'
import { tableCapacityGroup } from './table-capacity.ts'

/** The whole benchmark, in the order it is run. */
export const groups: readonly Group[] = [
  caseGroup(
    'Remote write 1.0, from a body to payloads',
    '2,000 series x 10 labels, one sample each, the ten rules of test/peers/relabel.yaml: decode, resolve, relabel, cut, encode, compress. Warm: 20,000 series, all known, 2,000 a request in turn. New: the code is warm, ' +
      'the table empty and nothing remembered of any value. Pod per series: every series has a pod, an instance and half of the time a node of its own, so little is shared; Kubernetes: pods of 50 series, as Prometheus sends them.',
    remoteWrite1Cases,
    remoteWrite1Goals,
  ),
  caseGroup(
    'Remote write 2.0, in and out',
    'From one version to the other, as above: all series known, the ten rules. Beside them the same with protobuf-es and objects.',
    remoteWrite2Cases,
    remoteWrite2Goals,
  ),
  payloadSizeGroup,
  caseGroup(
    'OTLP, from a message to payloads',
    '2,000 data points with 8 attributes each, four metrics a resource, the ten rules; 1,000 explicit histograms of 20 buckets. Warm: all known. New: the table is empty. Beside them: protobuf-es, names and rules on objects without memory. Not in it: gunzip, which is `otlp/gunzip` below.',
    otlpCases,
    otlpGoals,
  ),
  onLinux(firstRequestGroup),
  caseGroup(
    'Memory of a request whose series are known',
    'What the synchronous section allocates besides the body: what the garbage collector has to clear away. By default 20,000 series leave as ten payloads, and a payload is a few objects; with `max_samples_per_send: 20000` they leave as two.',
    heapCases,
    heapGoals,
  ),
  caseGroup(
    'One long series, many short ones',
    'n samples of one series, and of n series with one each; ten rules, four labels, all known, bodies with other values in turn. A payload has 2,000 samples at the most. A million samples of one series take raised limits: 18 MB decoded, 500 payloads.',
    seriesOfCases,
    seriesOfGoals,
  ),
  caseGroup(
    'Execute: one series, from a request to an answered fetch',
    'One series, `test_metric` and a label value of 800 bytes in many scripts, n samples; `/histograms`: n native histograms and metadata as well. The pipeline with all that belongs to it (budget, timeouts, accounting), a fetch that answers at once, no rules. ' +
      'In Node, whose Headers and timers are made of JavaScript: they are most of what a small request costs here.',
    executeCases,
  ),
  caseGroup(
    'Pushes of varying size',
    'Eight pushes of 33 to 10,000 points, each point a series of its own, all under way at once through one workspace, from request to answered fetch; an operation is all eight.',
    pushCases,
  ),
  caseGroup(
    'Receive: many known series, and large label values',
    "The requests of Thanos Receive's benchmark, their series known, from a request to an answered fetch: 500 and 5,000 series with ten labels of under 1 KB together, and ten series with a label value of 10 MB each, which takes a larger memory than an isolate has. Conflict: the origin answers 409, and Sluice 400, with the reason. No rules; whole payloads.",
    receiveCases,
  ),
  caseGroup(
    'Whole requests, from each protocol to each message',
    '2,000 samples, all series known, ten rules, from a request to an answered fetch, with all that belongs to it: remote write 1.0 and 2.0 (pods of 50 series) and OTLP in gzip (every point a pod of its own), to remote write 1.0 and 2.0. Beside them the same with protobuf-es and objects. In Node, as above.',
    requestCases,
  ),
  caseGroup(
    'Stages',
    'The steps of a request by themselves, 2,000 series x 10 labels (pod per series, but for `relabel/known`). Beside them: snappyjs; for resolve/hit protobuf-es reading the message, for resolve/miss the same and the rules on objects, for emit (remote write 1.0) and emit/2 (2.0) protobuf-es writing it, for emit/block the same and snappyjs, for relabel the rules on objects. Relabel/new: nothing is remembered of any value.',
    stageCases,
  ),
  caseGroup(
    'Stages of OTLP',
    "One data point's attributes to a set of labels, on a miss (a known point's are never looked at), beside the same on objects, which are decoded already; JSON to the binary form, beside JSON.parse and protobuf-es; gunzip of node:zlib.",
    otlpStageCases,
  ),
  caseGroup(
    'The load generator',
    'Nine labels from templates of the forms of xk6-client-prometheus-remote, a remote write 1.0 request of 1,000 series, others each time out of 100,000: templates compiled once (compile), evaluated to text (evaluate), to a compressed request (store), to the message alone (stream), and one series at a time (writeFor). ' +
      'Beside them: the templates replaced by a regular expression each time, objects, protobuf-es writing them.',
    generateCases,
  ),
  tableCapacityGroup,
  onLinux(connectionsGroup),
  onLinux(activeSeriesGroup),
  onLinux(largeValuesGroup),
]
