import { describeDecodeBody } from './decode-body.cases.ts'

describeDecodeBody()
