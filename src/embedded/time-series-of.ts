import { fromBinary } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { type TimeSeries, TimeSeriesSchema } from '../wire/gen/prometheus_pb.js'

/**
 * The series of a WriteRequest { repeated TimeSeries timeseries = 1 }, one at a time: a whole request as objects is
 * large. Reads `message` as it is consumed. Throws where it is not sound.
 */
export function* timeSeriesOf(message: Uint8Array): Generator<TimeSeries> {
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === 1 && type === WireType.LengthDelimited) {
      yield fromBinary(TimeSeriesSchema, reader.bytes())
    } else {
      reader.skip(type, field)
    }
  }
}
