package bursar

import "encoding/json"

// keep reads the known fields, and keeps all of them as they came.
func keep(data []byte, known any, raw *json.RawMessage) error {
	*raw = append((*raw)[:0:0], data...)
	return json.Unmarshal(data, known)
}

// merge writes the known fields and whatever else is to be sent.
func merge(known any, extra map[string]any) ([]byte, error) {
	written, err := json.Marshal(known)
	if err != nil || len(extra) == 0 {
		return written, err
	}
	fields := map[string]any{}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(written, &sent); err != nil {
		return nil, err
	}
	for name, value := range sent {
		fields[name] = value
	}
	for name, value := range extra {
		fields[name] = value
	}
	return json.Marshal(fields)
}
