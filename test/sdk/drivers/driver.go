// The Go client behind the protocol of driver.ts.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"bursar"
)

type question struct {
	Call    string
	Args    []json.RawMessage
	Query   json.RawMessage
	File    *struct{ Text, ContentType string }
	Options struct{ IdempotencyKey string }
	Verify  *struct {
		Body    string
		Headers map[string]string
		Secret  json.RawMessage
		Now     *int64
	}
}

func main() {
	client := bursar.New(os.Getenv("BURSAR_URL"), os.Getenv("BURSAR_KEY"), os.Getenv("BURSAR_SECRET"))
	timeout, err := strconv.Atoi(os.Getenv("BURSAR_TIMEOUT_MS"))
	must(err)
	client.Timeout = time.Duration(timeout) * time.Millisecond
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var asked question
		must(json.Unmarshal(lines.Bytes(), &asked))
		value, err := answer(client, asked)
		result := map[string]any{"value": value}
		if err != nil {
			result = map[string]any{"error": describe(err)}
		}
		written, err := json.Marshal(result)
		must(err)
		os.Stdout.Write(append(written, '\n'))
	}
}

func answer(client *bursar.Client, asked question) (any, error) {
	if asked.Verify != nil {
		return verify(asked)
	}
	method := reflect.ValueOf(client).MethodByName(strings.ToUpper(asked.Call[:1]) + asked.Call[1:])
	given := []reflect.Value{reflect.ValueOf(context.Background())}
	args := asked.Args
	for at := 1; at < method.Type().NumIn(); at++ {
		kind := method.Type().In(at)
		value := reflect.New(kind)
		switch {
		case kind == reflect.TypeOf(bursar.File{}):
			value.Elem().Set(reflect.ValueOf(bursar.File{Bytes: []byte(asked.File.Text), ContentType: asked.File.ContentType}))
		case strings.HasSuffix(kind.Name(), "Query"):
			if asked.Query != nil {
				must(json.Unmarshal(asked.Query, value.Interface()))
			}
		case method.Type().IsVariadic() && at == method.Type().NumIn()-1:
			if asked.Options.IdempotencyKey == "" {
				continue
			}
			value = reflect.ValueOf(&[]bursar.Option{bursar.WithIdempotencyKey(asked.Options.IdempotencyKey)}[0])
		case len(args) > 0:
			must(json.Unmarshal(args[0], value.Interface()))
			args = args[1:]
		}
		given = append(given, value.Elem())
	}
	results := method.Call(given)
	if list := results[0].MethodByName("Slice"); list.IsValid() {
		results = list.Call(nil)
	}
	if err, ok := results[len(results)-1].Interface().(error); ok {
		return nil, err
	}
	if file, ok := results[0].Interface().([]byte); ok {
		return base64.StdEncoding.EncodeToString(file), nil
	}
	return plain(results[0]), nil
}

func verify(asked question) (any, error) {
	header := http.Header{}
	for name, value := range asked.Verify.Headers {
		header.Set(name, value)
	}
	var secrets []string
	if json.Unmarshal(asked.Verify.Secret, &secrets) != nil {
		secrets = []string{""}
		must(json.Unmarshal(asked.Verify.Secret, &secrets[0]))
	}
	now := time.Now()
	if asked.Verify.Now != nil {
		now = time.Unix(*asked.Verify.Now, 0)
	}
	event, err := bursar.VerifyWebhookAt(now, []byte(asked.Verify.Body), header, secrets...)
	if err != nil {
		return nil, err
	}
	typed, err := event.Typed()
	must(err)
	if typed == any(event) {
		panic(event.Event + " has no type")
	}
	return plain(reflect.ValueOf(typed)), nil
}

// plain gives what came, and of what the types know what the types made of it.
func plain(value reflect.Value) any {
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	if value.Kind() == reflect.Slice {
		items := []any{}
		for at := 0; at < value.Len(); at++ {
			items = append(items, plain(value.Index(at)))
		}
		return items
	}
	if value.Kind() != reflect.Struct {
		return value.Interface()
	}
	var fields map[string]json.RawMessage
	must(json.Unmarshal(value.FieldByName("Raw").Interface().(json.RawMessage), &fields))
	seen := map[string]any{}
	for name, field := range fields {
		seen[name] = amounts(name, field)
	}
	for at := 0; at < value.NumField(); at++ {
		name := strings.Split(value.Type().Field(at).Tag.Get("json"), ",")[0]
		if raw, ok := fields[name]; ok && string(raw) != "null" {
			seen[name] = plain(value.Field(at))
		}
	}
	return seen
}

// amounts reads amounts where the types do not know any: their digits are as they came.
func amounts(name string, raw json.RawMessage) any {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) == nil && fields != nil {
		seen := map[string]any{}
		for name, field := range fields {
			seen[name] = amounts(name, field)
		}
		return seen
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil && items != nil {
		seen := []any{}
		for _, item := range items {
			seen = append(seen, amounts("", item))
		}
		return seen
	}
	if name == "amount" {
		var amount bursar.Amount
		must(amount.UnmarshalJSON(raw))
		return amount
	}
	return raw
}

func describe(err error) map[string]any {
	known := map[string]any{"class": className(err), "message": err.Error()}
	var refusal *bursar.APIError
	if errors.As(err, &refusal) {
		fields := []map[string]string{}
		for _, field := range refusal.Fields {
			fields = append(fields, map[string]string{"key": field.Key, "message": field.Message})
		}
		known["code"], known["fields"] = refusal.Code, fields
		known["request_id"], known["http_status"] = refusal.RequestID, refusal.HTTPStatus
	}
	return known
}

func className(err error) string {
	name := reflect.TypeOf(err).Elem().Name()
	if name == "APIError" {
		return "ApiError"
	}
	return name
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
